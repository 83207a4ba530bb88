import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const OPEN_ANSWERS = Symbol('requests of this connection that have no answer yet');
type Connection = Socket & { [OPEN_ANSWERS]?: OpenAnswers };

/** How many requests of one connection were begun and have no answer yet; Node keeps that to itself. */
export class OpenAnswers {
  #count = 0;
  #last: IncomingMessage | undefined;
  #closing: { mayBeOpen: number; answered: () => void } | undefined;

  static of(connection: Connection): OpenAnswers {
    return (connection[OPEN_ANSWERS] ??= new OpenAnswers());
  }

  begun(request: IncomingMessage): void {
    this.#count += 1;
    this.#last = request;
  }

  answered(): void {
    this.#count -= 1;
    this.#settle();
  }

  /** Whether somebody waits for the last answer: then no other may be begun. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Resolves when every request that came whole has its answer. One that did not will never have one, and it is the last. */
  whole(): Promise<void> {
    const mayBeOpen = this.#last?.complete === false ? 1 : 0;
    return new Promise((answered) => {
      this.#closing = { mayBeOpen, answered };
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#closing && this.#count <= this.#closing.mayBeOpen) this.#closing.answered();
  }
}
