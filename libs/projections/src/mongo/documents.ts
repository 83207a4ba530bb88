import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import mongoose, { type mongo } from 'mongoose';
import type { Loaded } from '../loading/fold.js';
import type { StreamRef } from '../loading/stream-ref.js';
import { foldCase, readModelOf } from '../read-model.js';
import type { ReadModelDocument } from './read-model.model.js';

/** Maximum number of callers that share a round trip. */
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

/** Writes documents of one collection. Concurrent callers share a round trip, and each gets only its own error. */
export class DocumentWriter {
  readonly #batcher = new Batcher<Write, void>((calls) => this.#write(calls), CALLERS, isOutage);

  constructor(private readonly collection: mongo.Collection<ReadModelDocument>) {}

  write(write: Write): Promise<void> {
    return this.#batcher.submit(write);
  }

  idle(): Promise<void> {
    return this.#batcher.idle();
  }

  async #write(calls: readonly Call<Write, void>[]): Promise<void> {
    const writes = calls.map(({ item }) => item);
    try {
      await reaching(() => this.collection.bulkWrite(writes, { ordered: false }));
    } catch (error) {
      const failed = memberErrors(error);
      if (!failed) throw error;
      for (const [index, reason] of failed) await reaching(() => Promise.reject(reason)).catch(calls[index]!.reject);
    }
    for (const { resolve } of calls) resolve();
  }
}

/** Returns the errors of single writes, by index, if all others were certainly carried out. */
function memberErrors(error: unknown): Map<number, Error> | undefined {
  const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return undefined;
  const errors = error.result.getWriteErrors();
  if (errors.length === 0) return undefined;
  return new Map(
    errors.map(({ index, code, errmsg }) => [index, new MongoServerError({ message: errmsg ?? String(code), code })]),
  );
}

export type Write = mongo.AnyBulkWriteOperation<ReadModelDocument>;

/** MongoDB's limit for a document (16 MiB), minus room for the other fields. */
const MAX_STATE_BYTES = 16 * 1024 * 1024 - 4096;

/**
 * Builds the bulk-write operation that stores a document if the stored version is older (`$lt`), or older or equal (`$lte`). The condition
 * is in the update, not in the filter: if two callers write the first document of a stream at once, the server then retries the second.
 *
 * @throws RangeError if the state is too large for MongoDB
 */
export function buildUpsert<State>(
  ref: StreamRef<State>,
  { version, state }: Loaded<State>,
  guard: '$lt' | '$lte',
): Write {
  const { stream, partition } = ref;
  const text = JSON.stringify(state);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES) {
    throw new RangeError(`the state of ${stream} takes ${bytes} bytes, MongoDB stores at most ${MAX_STATE_BYTES}`);
  }
  const { sortKeyOf, textOf } = readModelOf(ref);
  const sortKey = sortKeyOf?.(state) ?? null;
  const written = {
    _id: { $literal: stream },
    version,
    state: { $literal: text },
    ...(sortKey !== null && { place: sortKey, partition: { $literal: partition } }),
    ...(sortKey !== null && textOf && { text: { $literal: foldCase(textOf(state)) } }),
  };
  const replacement = { $cond: [{ [guard]: ['$version', version] }, written, '$$ROOT'] };
  return { updateOne: { filter: { _id: stream }, update: [{ $replaceWith: replacement }], upsert: true } };
}
