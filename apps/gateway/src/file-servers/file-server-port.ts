import { waitAtMost } from '@keyfold/concurrency';
import { failureOf, Fault, Refusal, UNKNOWN_PATH } from '@keyfold/http-envelope';
import { UnusableAddress } from '@keyfold/process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchedResponse } from '../http/batched-response.js';
import { answerClientError, refuseExpectation } from '../http/client-errors.js';
import { limitPipelining } from '../http/limit-pipelining.js';
import { failed, type FileServerAnswer } from './file-server-answer.js';
import type { FileServerCounts } from './file-server-counts.js';
import { originOf, pathOf } from './file-server-requests.js';
import type { FileServerRoute } from './file-server-routes.js';
import type { ServerToken } from './server-token.js';

const ADDRESS_SETTINGS = { host: 'KEYFOLD_SERVERS_HOST', port: 'KEYFOLD_SERVERS_PORT' };
/** Bounds of the port. Times are in milliseconds: sending the head, sending the request, and being idle. */
const BOUNDS = { headBytes: 24_576, headTime: 5_000, requestTime: 10_000, idleTime: 30_000, connections: 1_024 };
/** Milliseconds after which a request without an answer gets 503, unless its route allows more. A login waits for it. */
const ANSWER_TIME = 2_000;
/** Milliseconds that a closing port waits for its requests in flight. */
const CLOSE_TIME = 3_000;

/** The parts behind the port. `faults` and `unexpected` turn other errors into faults, and log them. */
export type FileServerParts = Readonly<{
  routes: ReadonlyMap<string, FileServerRoute>;
  token: ServerToken;
  counts: FileServerCounts;
  faults: (error: unknown) => Fault | undefined;
  unexpected: (error: unknown, path: string) => Fault;
}>;

/**
 * Serves the servers port, on which file servers check logins, look up keys and report their use. It is separate from the API, so that a site can let only
 * its file servers reach it. A few routes need no framework.
 */
export class FileServerPort {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Opens the port; 0 stands for any free port. Throws `UnusableAddress`. */
  static async open(host: string, port: number, parts: FileServerParts): Promise<FileServerPort> {
    const server = createServer(
      {
        ServerResponse: BatchedResponse,
        maxHeaderSize: BOUNDS.headBytes,
        headersTimeout: BOUNDS.headTime,
        requestTimeout: BOUNDS.requestTime,
        keepAliveTimeout: BOUNDS.idleTime,
        connectionsCheckingInterval: 1_000,
      },
      (request, response) => void new Exchange(request, response, parts).run(() => server.listening),
    );
    server.maxConnections = BOUNDS.connections;
    server.on('clientError', answerClientError);
    server.on('checkExpectation', refuseExpectation);
    limitPipelining(server);
    try {
      await once(server.listen(port, host), 'listening');
    } catch (error) {
      throw new UnusableAddress(host, port, ADDRESS_SETTINGS, error as Error);
    }
    const { address, port: taken, family } = server.address() as AddressInfo;
    return new FileServerPort(server, `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
  }

  /** Closes the port. Requests in flight are answered first. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    await waitAtMost(CLOSE_TIME, closed);
    this.server.closeAllConnections();
    await closed;
  }
}

/** One request and its response. */
class Exchange {
  readonly #path: string;
  readonly #origin;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly parts: FileServerParts,
  ) {
    this.#path = pathOf(request);
    this.#origin = originOf(request);
  }

  /** `staysOpen` returns whether the connection can be used again after the answer. */
  async run(staysOpen: () => boolean): Promise<void> {
    this.#count();
    const { request, response } = this;
    const { status, headers, body } = await this.#answer();
    if (response.destroyed) return;
    const length = status === 204 || status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) };
    // The rest of an unread body would be parsed as a request.
    const connection = request.complete && staysOpen() ? {} : { Connection: 'close' };
    response.writeHead(status, { ...headers, ...length, ...connection, 'X-Request-Id': this.#origin.correlation });
    response.end(request.method === 'HEAD' ? '' : body);
  }

  async #answer(): Promise<FileServerAnswer> {
    const late = Promise.withResolvers<FileServerAnswer>();
    const timer = setTimeout(
      () => late.resolve(this.#failure(new Fault(503, 'the answer took too long', { retryAfterSeconds: 1 }))),
      this.parts.routes.get(this.#path)?.answerTime ?? ANSWER_TIME,
    );
    const answer = this.#route().catch((error: unknown) => this.#failure(error));
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #route(): Promise<FileServerAnswer> {
    const { request, parts } = this;
    const route = parts.routes.get(this.#path);
    if (!route) return failed(404, UNKNOWN_PATH);
    const { method = '' } = request;
    if (method !== route.method && !(method === 'HEAD' && route.method === 'GET')) {
      const allowed = route.method === 'GET' ? 'GET, HEAD' : route.method;
      return failed(405, `this path takes ${allowed} only`, { Allow: allowed });
    }
    const accepted = await parts.token.check(route.scope, request.headers.authorization, this.#origin);
    if ('refusal' in accepted) return accepted.refusal;
    return route.handle(request, accepted.caller, this.#origin);
  }

  #failure(error: unknown): FileServerAnswer {
    const known = failureOf(error) ?? this.parts.faults(error) ?? this.parts.unexpected(error, this.#path);
    const { retryAfterSeconds, message } = known;
    const status = known instanceof Refusal ? known.code : known.status;
    if (retryAfterSeconds === undefined) return failed(status, message);
    return failed(status, message, { 'Retry-After': String(Math.ceil(retryAfterSeconds)) });
  }

  #count(): void {
    const { counts } = this.parts;
    const route = counts.of(this.#path);
    const since = performance.now();
    counts.inFlight += 1;
    this.response.once('close', () => {
      counts.inFlight -= 1;
      if (this.response.writableFinished)
        route.responded(this.response.statusCode, (performance.now() - since) / 1_000);
      else route.aborted();
    });
  }
}
