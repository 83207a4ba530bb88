import { randomUUID } from 'node:crypto';
import { Catch, HttpException, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { DomainError } from '@keyfold/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorEnvelope } from './envelope.js';
import { refusalFor } from './error-codes.js';
import { Fault, Refusal } from './refusal.js';

/** Maximum length of a logged path, in characters. */
const MAX_LOGGED_PATH = 1_024;

export const UNKNOWN_PATH = 'this path does not exist';

/** Hides private parts of messages (wire contract 1.10). Never fails. */
export type MessageMask = Readonly<{
  /** Masks the message of a refusal, which may quote the request, with the current patterns. A promise if they must be read first. */
  ofRefusal(message: string): string | Promise<string>;
  /** Masks the message of a fault with the patterns that were read last, because the store may be unavailable. */
  ofFault(message: string): string;
}>;

/** The parts of a request that the answer to its error depends on. */
export type FailedRequest = Pick<FastifyRequest, 'id' | 'headers' | 'method' | 'url'>;

/** The answer to a request that was refused or failed. The body is a promise if privacy patterns must be read first. */
export type FailureAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Promise<string>;
}>;

export type EnvelopeFilterOptions = Readonly<{
  mask: MessageMask;
  /** Logs an unexpected error with the id that the client receives. `path` is the URL without its query. */
  logFault: (errorId: string, error: unknown, path: string, request: FailedRequest) => void;
  /** Returns the fault that an error of another library stands for, such as 503 if the store is unavailable. */
  faults: (error: unknown, request: FailedRequest) => Fault | undefined;
  /** Returns the methods of a path, none for an unknown path. */
  methodsOf: (path: string) => readonly string[];
}>;

/** Converts every error to an enveloped response: refusals with HTTP 200, other errors with their real status (docs/decisions/0001). */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly options: EnvelopeFilterOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // Only Nest's router throws NotFoundException; handlers throw a Refusal.
    const failure = error instanceof NotFoundException ? this.noRoute(request, reply) : this.failure(error, request);
    const { status, headers, body } = this.answerOf(failure);
    const send = (text: string) =>
      void reply
        .status(status)
        .headers(headers)
        .send(request.method === 'HEAD' ? '' : text);
    if (typeof body === 'string') send(body);
    else void body.then(send);
  }

  /** Returns the answer to an error of a request that no route answers. */
  answerTo(error: unknown, request: FailedRequest): FailureAnswer {
    return this.answerOf(this.failure(error, request));
  }

  private answerOf(failure: Refusal | Fault): FailureAnswer {
    const retryAfter = failure.retryAfterSeconds;
    const headers = {
      ...(retryAfter !== undefined && { 'Retry-After': String(roundedUp(retryAfter)) }),
      'Content-Type': 'application/json; charset=utf-8',
    };
    if (failure instanceof Fault) {
      const { status, message } = failure;
      return { status, headers, body: errorEnvelope(status, this.options.mask.ofFault(message)) };
    }
    const serverTime = failure.showsTime ? Math.floor(Date.now() / 1000) : undefined;
    const envelope = (message: string) => errorEnvelope(failure.code, message, serverTime);
    const masked = this.options.mask.ofRefusal(failure.message);
    return { status: 200, headers, body: typeof masked === 'string' ? envelope(masked) : masked.then(envelope) };
  }

  private failure(error: unknown, request: FailedRequest): Refusal | Fault {
    return failureOf(error) ?? this.options.faults(error, request) ?? this.unexpected(error, request);
  }

  private unexpected(error: unknown, request: FailedRequest): Fault {
    const errorId = randomUUID();
    this.options.logFault(errorId, error, pathOf(request).slice(0, MAX_LOGGED_PATH), request);
    return new Fault(500, `internal error, id ${errorId}`);
  }

  private noRoute(request: FastifyRequest, reply: FastifyReply): Fault {
    const methods = this.options.methodsOf(pathOf(request)).join(', ');
    if (methods === '') return new Fault(404, UNKNOWN_PATH);
    reply.header('Allow', methods);
    return new Fault(405, `this path takes ${methods} only`);
  }
}

/**
 * Returns the refusal or fault that an error stands for, or undefined for an unexpected error. Errors of Nest and Fastify keep a
 * 4xx status. Their 5xx errors count as unexpected, because their messages are not meant for clients.
 */
export function failureOf(error: unknown): Refusal | Fault | undefined {
  if (error instanceof Refusal || error instanceof Fault) return error;
  if (error instanceof DomainError) return refusalFor(error);
  const status = statusOf(error);
  return status >= 400 && status < 500 && error instanceof Error ? new Fault(status, error.message) : undefined;
}

/** Returns the HTTP status that Nest or Fastify set on an error, or 0. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return isFastifyError(error) ? error.statusCode : 0;
}

const isFastifyError = (error: unknown): error is { code: string; statusCode: number } =>
  error instanceof Error &&
  'code' in error &&
  String(error.code).startsWith('FST_') &&
  'statusCode' in error &&
  typeof error.statusCode === 'number';

const pathOf = ({ url }: FailedRequest) => url.split('?', 1)[0] ?? url;

/** Rounds up, because `Retry-After` takes whole seconds (RFC 9110 section 10.2.3) and the client must not return too early. */
const roundedUp = (seconds: number) => Math.max(1, Math.ceil(seconds));
