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

  /** Returns the states of a page as JSON, and the length of the list. */
  async page(offset: number, limit: number): Promise<{ states: string[]; total: number }> {
    const ranks = await this.counter.ranks();
    if (!ranks) {
      const [states, total] = await Promise.all([this.#walk(LOWEST, offset, limit), this.#totals.submit()]);
      return { states, total };
    }
    const position = positionOf(ranks, offset);
    const states = position ? await this.#walk(position.from, position.skip, limit) : [];
    return { states, total: totalOf(ranks) };
  }

  /** Resolves when no background count is in progress. */
  idle(): Promise<void> {
    return this.counter.idle();
  }

  async #walk(from: number, skip: number, limit: number): Promise<string[]> {
    if (limit === 0) return [];
    const options = { sort: { place: 1 as const }, hint: PLACE_INDEX, skip, limit, projection: { state: 1 } };
    const found = await reaching(() => this.documents.find({ place: { $gte: from } }, options).toArray());
    return found.flatMap(({ state }) => state ?? []);
  }

  #count(): Promise<number> {
    return reaching(() => this.documents.countDocuments({ place: { $gte: LOWEST } }, { hint: PLACE_INDEX }));
  }
}
