import { GUEST_ID } from '@keyfold/domain';
import { Counter } from '@keyfold/event-store';

/** Issues ids for new accounts. It takes them from the store in blocks; a process that stops loses the rest of its block. */
export class AccountIds {
  #next = 0;
  #end = 0;

  constructor(
    private readonly counter: Counter,
    private readonly blockSize: number,
  ) {}

  async next(): Promise<number> {
    if (this.#next >= this.#end) {
      const first = await this.counter.take('account', this.blockSize, GUEST_ID + 1);
      // A concurrent caller may have taken a block as well: the later block replaces the earlier one, whose ids stay unused.
      this.#next = first;
      this.#end = first + this.blockSize;
    }
    return this.#next++;
  }
}
