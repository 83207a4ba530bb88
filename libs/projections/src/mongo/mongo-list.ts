import { Batcher } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import type { ListCounter } from './list-counter.js';
import { positionOf, totalOf } from './list-ranks.js';
import { PLACE_INDEX, type ReadModelDocument } from './read-model.model.js';

const LOWEST = -Infinity;

/** The list of one read model. Neither its length nor a large offset makes it slower. */
export class MongoList {
  /** Until the ranks are known, concurrent callers share a count. */
  readonly #totals = new Batcher<void, number>(
    async (calls) => {
      const total = await this.#count();
      for (const { resolve } of calls) resolve(total);
    },
    Infinity,
    isOutage,
  );

  constructor(
    private readonly documents: mongo.Collection<ReadModelDocument>,
    private readonly counter: Pick<ListCounter, 'ranks' | 'idle'>,
  ) {}

  /** Calls `take` with the JSON of each state of a page until it returns false. Returns the length of the list. */
  async page(offset: number, limit: number, take: (state: string) => boolean): Promise<number> {
    const ranks = await this.counter.ranks();
    if (!ranks) {
      const [total] = await Promise.all([this.#totals.submit(), this.#walk(LOWEST, offset, limit, take)]);
      return total;
    }
    const position = positionOf(ranks, offset);
    if (position) await this.#walk(position.from, position.skip, limit, take);
    return totalOf(ranks);
  }

  /** Resolves when no background count is in progress. */
  idle(): Promise<void> {
    return this.counter.idle();
  }

  async #walk(from: number, skip: number, limit: number, take: (state: string) => boolean): Promise<void> {
    if (limit === 0) return;
    const options = { sort: { place: 1 as const }, hint: PLACE_INDEX, skip, limit, projection: { state: 1 } };
    await reaching(async () => {
      for await (const { state } of this.documents.find({ place: { $gte: from } }, options)) {
        if (state !== undefined && !take(state)) break;
      }
    });
  }

  #count(): Promise<number> {
    return reaching(() => this.documents.countDocuments({ place: { $gte: LOWEST } }, { hint: PLACE_INDEX }));
  }
}
