import { reaching } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import type { Unexpired } from '../read-model-store.js';
import { PARTITION_INDEX, PLACE_INDEX, type ReadModelDocument } from './read-model.model.js';

/** The list of a read model whose entries expire. Its total is counted on the index each time, because entries leave it without a write. */
export class ExpiringList {
  constructor(private readonly documents: mongo.Collection<ReadModelDocument>) {}

  /** Calls `take` with the JSON of each state of a page until it returns false. Returns the length of the list. */
  async page(
    { after, partition }: Unexpired,
    offset: number,
    limit: number,
    take: (state: string) => boolean,
  ): Promise<number> {
    const filter = { place: { $gt: after }, ...(partition !== undefined && { partition }) };
    const hint = partition === undefined ? PLACE_INDEX : PARTITION_INDEX;
    const [total] = await Promise.all([
      reaching(() => this.documents.countDocuments(filter, { hint })),
      limit === 0 ? undefined : this.#walk(filter, { hint, skip: offset, limit }, take),
    ]);
    return total;
  }

  async #walk(
    filter: mongo.Filter<ReadModelDocument>,
    range: Readonly<{ hint: string; skip: number; limit: number }>,
    take: (state: string) => boolean,
  ): Promise<void> {
    const options = { ...range, sort: { place: -1 as const }, projection: { state: 1 } };
    await reaching(async () => {
      for await (const { state } of this.documents.find(filter, options)) {
        if (state !== undefined && !take(state)) break;
      }
    });
  }
}
