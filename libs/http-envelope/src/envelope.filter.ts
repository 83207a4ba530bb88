import { randomUUID } from 'node:crypto';
import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorEnvelope } from './envelope.js';
import { failureOf } from './failure.js';
import type { PrivacyMask } from './privacy-mask.js';
import { Fault, Refusal } from './refusal.js';

/** Letters of a path that are logged. */
const LONGEST_LOGGED = 1_024;

/** What is said of a path that no route has. */
export const UNKNOWN_PATH = 'this path does not exist';

/** What the filter has to be told by the application around it. */
export type EnvelopeFilterOptions = Readonly<{
  /** The mask in force, from the site's settings; it hides private parts of every message. */
  mask: () => PrivacyMask;
  /** Reports an unexpected error under the id that the client is told. `path` is the address without the query. */
  logFault: (errorId: string, error: unknown, path: string, request: FastifyRequest) => void;
  /** Recognises errors of other libraries that have an HTTP status of their own, such as 503 without a store. */
  faults?: (error: unknown, request: FastifyRequest) => Fault | undefined;
  /** The methods of a path, none for an unknown path. */
  methodsOf: (path: string) => readonly string[];
}>;

/** Turns every error into an answer with the envelope: refusals with HTTP 200, the rest with its real status (docs/decisions/0001). */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly options: EnvelopeFilterOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // Nest throws its NotFoundException where no route takes the request; handlers refuse with a Refusal.
    const failure = error instanceof NotFoundException ? this.noRoute(request, reply) : this.failure(error, request);
    if (failure.retryAfterSeconds !== undefined) reply.header('Retry-After', wholeSeconds(failure.retryAfterSeconds));
    const [status, code] = failure instanceof Refusal ? [200, failure.code] : [failure.status, failure.status];
    const body = errorEnvelope(code, this.options.mask().apply(failure.message));
    void reply
      .status(status)
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(request.method === 'HEAD' ? '' : body);
  }

  private failure(error: unknown, request: FastifyRequest): Refusal | Fault {
    return failureOf(error) ?? this.options.faults?.(error, request) ?? this.unexpected(error, request);
  }

  private unexpected(error: unknown, request: FastifyRequest): Fault {
    const errorId = randomUUID();
    this.options.logFault(errorId, error, pathOf(request).slice(0, LONGEST_LOGGED), request);
    return new Fault(500, `internal error, id ${errorId}`);
  }

  private noRoute(request: FastifyRequest, reply: FastifyReply): Fault {
    const methods = this.options.methodsOf(pathOf(request)).join(', ');
    if (methods === '') return new Fault(404, UNKNOWN_PATH);
    reply.header('Allow', methods);
    return new Fault(405, `this path takes ${methods} only`);
  }
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url;

/** RFC 9110, section 10.2.3: whole seconds; never so few that the client comes too early. */
const wholeSeconds = (seconds: number) => Math.max(1, Math.ceil(seconds));
