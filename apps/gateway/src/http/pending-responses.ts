import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const PENDING_RESPONSES = Symbol('pending responses of this connection');
type Connection = Socket & { [PENDING_RESPONSES]?: PendingResponses };

/** Counts the requests of one connection that have no response yet. Node does not expose this number. */
export class PendingResponses {
  #count = 0;
  /** Called after each response. */
  onResponse: (() => void) | undefined;
  #lastRequest: IncomingMessage | undefined;
  #onDrained: (() => void) | undefined;

  /** Returns the pending responses of a connection, always the same object. */
  static of(connection: Connection): PendingResponses {
    return (connection[PENDING_RESPONSES] ??= new PendingResponses());
  }

  /** Records that a request has started. */
  requestStarted(request: IncomingMessage): void {
    this.#count += 1;
    this.#lastRequest = request;
  }

  /** Records that a response was written. */
  responseWritten(): void {
    this.#count -= 1;
    // An idle connection must not hold the headers of its last request.
    if (this.#count === 0) this.#lastRequest = undefined;
    this.#resolveIfDrained();
    this.onResponse?.();
  }

  get count(): number {
    return this.#count;
  }

  /** Returns whether `drained` was called. */
  get isDraining(): boolean {
    return this.#onDrained !== undefined;
  }

  /** Resolves when every complete request has its response. Only the last request can be incomplete; it gets none. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      this.#resolveIfDrained();
    });
  }

  #resolveIfDrained(): void {
    const incomplete = this.#lastRequest?.complete === false ? 1 : 0;
    if (this.#count <= incomplete) this.#onDrained?.();
  }
}
