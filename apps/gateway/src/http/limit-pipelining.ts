import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PendingResponses } from './batched-response.js';
import { refuseRest } from './client-errors.js';
import { canRunNow, currentIteration, defer } from './loop-budget.js';

/** Maximum number of requests of one connection that start in one iteration of the event loop. */
export const MAX_PER_ITERATION = 16;
/** Maximum number of requests of one connection in flight. */
export const MAX_IN_FLIGHT = 64;
/** With this many waiting requests, the server stops reading from the connection until they have started. */
const MANY_WAITING = 32;
/** More requests may have arrived before. Beyond this number the connection ends, because receiving a request takes time, too. */
export const MAX_PIPELINED = 96;

const QUEUE = Symbol('requests of this connection that have not started');
type Connection = Socket & { [QUEUE]?: PipelineQueue };

/**
 * Queues the pipelined requests of one connection (RFC 9112 section 9.3.2). Thousands can arrive in one chunk; a few start in each iteration of the
 * event loop, so that other connections are served in between (decision 47).
 */
class PipelineQueue {
  readonly #waiting: (() => void)[] = [];
  readonly #responses: PendingResponses;
  /** Whether the last request has arrived that is answered. */
  isEnded = false;
  #lastIteration: object | undefined;
  #scheduled = 0;
  #isPaused = false;

  static of(connection: Connection): PipelineQueue {
    return (connection[QUEUE] ??= new PipelineQueue(connection));
  }

  private constructor(private readonly connection: Connection) {
    this.#responses = PendingResponses.of(connection);
    this.#responses.onResponse = () => this.#schedule();
  }

  add(start: () => void): void {
    if (this.#waiting.length === 0 && this.#isFirstOfIteration() && canRunNow()) return start();
    if (this.#waiting.length >= MAX_PIPELINED)
      return refuseRest(this.connection, 429, `too many pipelined requests: at most ${MAX_PIPELINED}`);
    this.#waiting.push(start);
    if (this.#waiting.length >= MANY_WAITING) this.#pause();
    this.#schedule();
  }

  /** Only the first request of an iteration may start at once: handlers continue after the whole chunk is parsed, so nothing could stop the others. */
  #isFirstOfIteration(): boolean {
    const [last, current] = [this.#lastIteration, currentIteration()];
    this.#lastIteration = current;
    return last !== current;
  }

  #schedule(): void {
    // If too many requests are in flight, the next response schedules again.
    const target = Math.min(MAX_PER_ITERATION, this.#waiting.length, MAX_IN_FLIGHT - this.#inFlight());
    while (this.#scheduled < target) {
      this.#scheduled += 1;
      defer(() => this.#startNext());
    }
  }

  #startNext(): void {
    this.#scheduled -= 1;
    // Nobody would read the responses.
    if (this.connection.destroyed) this.#waiting.length = 0;
    if (this.#inFlight() < MAX_IN_FLIGHT) this.#waiting.shift()?.();
    if (this.#waiting.length === 0 && this.#isPaused) this.#resume();
    this.#schedule();
  }

  /** Disables `resume` while paused, because Node resumes a connection on each response and on each request without a body. */
  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.connection.resume = () => this.connection;
    // An earlier `resume` takes effect in the next tick and would undo a pause before it.
    process.nextTick(() => this.#isPaused && this.connection.pause());
  }

  #resume(): void {
    this.#isPaused = false;
    Reflect.deleteProperty(this.connection, 'resume');
    // Nothing is read after a malformed request.
    if (!this.#responses.isDraining) this.connection.resume();
  }

  #inFlight(): number {
    return this.#responses.count - this.#waiting.length;
  }
}

/** Returns how a request starts that the listener of the server does not answer. Called as soon as its headers have arrived. */
export type Dispatch = (request: IncomingMessage, response: ServerResponse) => (() => void) | undefined;

const asksForProtocol = ({ headers: { upgrade, connection = '' } }: IncomingMessage): boolean =>
  upgrade !== undefined && /\bupgrade\b/i.test(connection);

/** Limits how many pipelined requests of each connection start at once. Must be called after the server has its request listener. */
export function limitPipelining(server: Server, dispatch: Dispatch = () => undefined): void {
  const [listener, ...others] = server.listeners('request') as RequestListener[];
  if (!listener || others.length > 0) throw new Error('expected exactly one request listener');
  server.removeListener('request', listener);
  server.on('request', (request, response) => {
    const queue = PipelineQueue.of(request.socket);
    // Only counts.
    if (queue.isEnded) return queue.add(() => undefined);
    // It stays an ordinary request (decision 141), but Node loses the pipelined ones that arrived together with it.
    if (asksForProtocol(request)) {
      queue.isEnded = true;
      response.setHeader('Connection', 'close');
    }
    queue.add(dispatch(request, response) ?? (() => listener(request, response)));
  });
}
