import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import type { ReadModelDocument } from './read-model.model.js';

/** Maximum number of callers that share a query. */
const CALLERS = 256;

/** Reads documents of one collection by stream; concurrent callers share a query. */
export class DocumentReader {
  readonly #batcher = new Batcher<readonly string[], Map<string, ReadModelDocument>>(
    (calls) => this.#read(calls),
    CALLERS,
    isOutage,
  );

  constructor(private readonly collection: mongo.Collection<ReadModelDocument>) {}

  /** Returns the existing documents of these streams, and possibly of others. */
  read(streams: readonly string[]): Promise<Map<string, ReadModelDocument>> {
    return this.#batcher.submit(streams);
  }

  async #read(calls: readonly Call<readonly string[], Map<string, ReadModelDocument>>[]): Promise<void> {
    const $in = [...new Set(calls.flatMap(({ item }) => item))];
    const options = { projection: { version: 1, state: 1 } };
    const found = await reaching(() => this.collection.find({ _id: { $in } }, options).toArray());
    const documents = new Map(found.map((document) => [document._id, document]));
    for (const { resolve } of calls) resolve(documents);
  }
}
