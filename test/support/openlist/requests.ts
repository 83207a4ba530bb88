import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { User } from './user.js';

/** A request as it arrived. */
export type ReceivedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly authorization: string | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  /** The user for whom the request spoke, with the rights of that moment. */
  user: User | undefined;
  /** OpenList counts it on the address of the client. */
  isWrongLogin: boolean;
  outcome: 'open' | 'answered' | 'aborted';
};

/** Remembers the last requests and counts all. */
export class Requests {
  total = 0;
  /** Requests whose answer has not ended. */
  open = 0;
  /** Requests whose connection ended before their answer. */
  aborted = 0;
  /** Called for each request once its user is known, before it is answered. */
  onReceived: (request: ReceivedRequest) => void = () => {};
  private readonly last: ReceivedRequest[] = [];

  constructor(private readonly capacity: number) {}

  /** The last requests, oldest first. */
  get received(): readonly ReceivedRequest[] {
    return this.last;
  }

  /** Those of the last requests that a proxy sent for its clients. */
  get forwarded(): readonly ReceivedRequest[] {
    return this.last.filter(({ headers }) => headers['x-forwarded-proto'] !== undefined);
  }

  forget(): void {
    this.last.length = 0;
  }

  remember({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): ReceivedRequest {
    const at = performance.timeOrigin + performance.now();
    const { authorization } = headers;
    const received: ReceivedRequest = {
      method,
      url,
      headers,
      authorization,
      at,
      user: undefined,
      isWrongLogin: false,
      outcome: 'open',
    };
    this.total++;
    this.open++;
    this.last.push(received);
    // In blocks, because each removal moves the rest.
    if (this.last.length > 2 * this.capacity) this.last.splice(0, this.last.length - this.capacity);
    response.once('close', () => {
      this.open--;
      received.outcome = response.writableFinished ? 'answered' : 'aborted';
      if (received.outcome === 'aborted') this.aborted++;
    });
    return received;
  }
}
