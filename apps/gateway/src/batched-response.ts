import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { OpenAnswers } from './open-answers.js';

/** How many answers wait for each other: enough to spare most wake-ups, few enough that the reader works while the next ones are made. */
const MOST_WAITING = 16;

/** What `end` was called with, in any of its shapes. */
type Ending = [chunk: unknown, encoding: BufferEncoding];

/**
 * Answers that end in one turn of the event loop are written one behind the other, at its end. Each write wakes whoever reads it, often a
 * proxy on the same machine, and that can cost more than the answer did; one behind the other they find it awake (decision 37).
 */
export class BatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  static #waiting: BatchedResponse[] = [];
  #ending: Ending | undefined;

  /** Node gives options that its types do not know. */
  constructor(request: Request, ...options: []) {
    super(request, ...options);
    OpenAnswers.of(request.socket).begun(request);
  }

  /** Node calls it when the answer was written. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    OpenAnswers.of(socket).answered();
  }

  /** From the call of `end`, as without a wait. */
  // @ts-expect-error The types of Node call this a field; it is an accessor.
  override get writableEnded(): boolean {
    return this.#ending !== undefined;
  }

  override end(...ending: unknown[]): this {
    if (this.#ending) {
      // Node has its own answer to a second end, which must not come before the first.
      BatchedResponse.#write();
      return super.end(...(ending as Ending));
    }
    this.#ending = ending as Ending;
    const waiting = BatchedResponse.#waiting.push(this as BatchedResponse);
    if (waiting === MOST_WAITING) BatchedResponse.#write();
    else if (waiting === 1) setImmediate(() => BatchedResponse.#write());
    return this;
  }

  static #write(): void {
    const waiting = BatchedResponse.#waiting;
    BatchedResponse.#waiting = [];
    for (const response of waiting) response.#writeEnding();
  }

  #writeEnding(): void {
    super.end(...this.#ending!);
  }
}
