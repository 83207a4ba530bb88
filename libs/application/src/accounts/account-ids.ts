import { GUEST_ID } from '@keyfold/domain';
import { Counter } from '@keyfold/event-store';

/** Ids for new accounts, taken from the store in blocks; ids that a stopped process did not use are never used. */
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
      // Another caller may have fetched a block meanwhile: the newer one is used up, the older one is a gap.
      this.#next = first;
      this.#end = first + this.blockSize;
    }
    return this.#next++;
  }
}
