import { Batcher } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import type { ListCounter } from './list-counter.js';
import { positionOf, totalOf } from './list-ranks.js';
import { PLACE_INDEX, type ReadModelDocument } from './read-model.model.js';

const LOWEST = -Infinity;

/** The list of one read model; neither its length nor how far behind a page lies makes it slower. */
export class MongoList {
  /** Those who ask while the list is not counted yet share the way over it. */
  readonly #totals = new Batcher<void, number>(async (calls) => {
    const total = await this.#count();
    for (const { resolve } of calls) resolve(total);
  }, Infinity);

  constructor(
    private readonly documents: mongo.Collection<ReadModelDocument>,
    private readonly counter: Pick<ListCounter, 'ranks' | 'idle'>,
  ) {}

  /** Calls `take` with the JSON text of each state of a page until it answers false. Answers how many entries the list has. */
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

  /** Waits until nothing is asked any more on nobody's behalf. */
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
