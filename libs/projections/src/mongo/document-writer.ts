import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import mongoose, { type mongo } from 'mongoose';
import type { Write } from './document-writes.js';
import type { ReadModelDocument } from './read-model.model.js';

/** Maximum number of callers that share a round trip. */
const CALLERS = 256;

/** Writes documents of one collection. Concurrent callers share a round trip, and each gets only its own error. */
export class DocumentWriter {
  readonly #batcher = new Batcher<Write, void>((calls) => this.#write(calls), CALLERS, isOutage);

  constructor(private readonly collection: mongo.Collection<ReadModelDocument>) {}

  write(write: Write): Promise<void> {
    return this.#batcher.submit(write);
  }

  /** Resolves when all accepted writes have settled. */
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
