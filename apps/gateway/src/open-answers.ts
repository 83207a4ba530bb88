import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const OPEN_ANSWERS = Symbol('requests of this connection that have no answer yet');
type Connection = Socket & { [OPEN_ANSWERS]?: OpenAnswers };

/** How many requests of one connection were begun and have no answer yet; Node keeps that to itself. */
export class OpenAnswers {
  #count = 0;
  /** Called after each answer. */
  onAnswered: (() => void) | undefined;
  #last: IncomingMessage | undefined;
  #closing: (() => void) | undefined;

  static of(connection: Connection): OpenAnswers {
    return (connection[OPEN_ANSWERS] ??= new OpenAnswers());
  }

  begun(request: IncomingMessage): void {
    this.#count += 1;
    this.#last = request;
  }

  answered(): void {
    this.#count -= 1;
    // An idle connection must not keep the headers of its last request.
    if (this.#count === 0) this.#last = undefined;
    this.#settle();
    this.onAnswered?.();
  }

  get count(): number {
    return this.#count;
  }

  /** Whether somebody waits for the last answer, or did. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Resolves when every request that arrived whole has its answer. Only the last one can be incomplete; it gets none. */
  given(): Promise<void> {
    return new Promise((answered) => {
      this.#closing = answered;
      this.#settle();
    });
  }

  #settle(): void {
    const incomplete = this.#last?.complete === false ? 1 : 0;
    if (this.#count <= incomplete) this.#closing?.();
  }
}
