import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const PENDING_RESPONSES = Symbol('pending responses of this connection');
type Connection = Socket & { [PENDING_RESPONSES]?: PendingResponses };

/** Counts the requests of one connection that have no response yet, and the small pieces of their bodies. Node exposes neither number. */
export class PendingResponses {
  #count = 0;
  #smallPieces = 0;
  onResponse: (() => void) | undefined;
  #lastRequest: IncomingMessage | undefined;
  #onDrained: (() => void) | undefined;

  /** Returns the pending responses of a connection, always the same object. */
  static of(connection: Connection): PendingResponses {
    return (connection[PENDING_RESPONSES] ??= new PendingResponses());
  }

  requestStarted(request: IncomingMessage): void {
    this.#count += 1;
    this.#lastRequest = request;
  }

  responseWritten(): void {
    this.#count -= 1;
    // An idle connection must not hold the headers of its last request.
    if (this.#count === 0) [this.#lastRequest, this.#smallPieces] = [undefined, 0];
    this.#resolveIfDrained();
    this.onResponse?.();
  }

  get count(): number {
    return this.#count;
  }

  /** Counts a small piece of a body. Returns their number since no request was pending. */
  countSmallPiece(): number {
    this.#smallPieces += 1;
    return this.#smallPieces;
  }

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

/** Maximum number of responses in a batch: enough to save most wake-ups, few enough that reader and service work in parallel. */
const MAX_BATCH = 16;

type EndArguments = [chunk: unknown, encoding: BufferEncoding];

/**
 * A response that is written at the end of the current iteration of the event loop, together with all others that end in it. Each write wakes the
 * reader, often a proxy on the same machine, and that can cost more CPU time than the request. In a batch, only the first write does
 * (decision 37).
 */
export class BatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  static #batch: BatchedResponse[] = [];
  #endArguments: EndArguments | undefined;

  /** Node passes options that its types do not declare. */
  constructor(request: Request, ...options: []) {
    super(request, ...options);
    PendingResponses.of(request.socket).requestStarted(request);
  }

  /** Node calls this when the response has been written. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    PendingResponses.of(socket).responseWritten();
  }

  /** True from the call of `end`, as in the base class. */
  // @ts-expect-error Node's types declare a field, but it is an accessor.
  override get writableEnded(): boolean {
    return this.#endArguments !== undefined;
  }

  override end(...endArguments: unknown[]): this {
    if (this.#endArguments) {
      // Node handles a second `end` itself, but the first must come before it.
      BatchedResponse.#writeBatch();
      return super.end(...(endArguments as EndArguments));
    }
    this.#endArguments = endArguments as EndArguments;
    const size = BatchedResponse.#batch.push(this as BatchedResponse);
    if (size === MAX_BATCH) BatchedResponse.#writeBatch();
    else if (size === 1) setImmediate(() => BatchedResponse.#writeBatch());
    return this;
  }

  static #writeBatch(): void {
    const batch = BatchedResponse.#batch;
    BatchedResponse.#batch = [];
    for (const response of batch) response.#write();
  }

  #write(): void {
    super.end(...this.#endArguments!);
  }
}
