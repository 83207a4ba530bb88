import mongoose from 'mongoose';

/**
 * The outcome of one document of an ordered batch. `collided`: another commit has its position. `refused`: it violates another unique
 * index. `untried`: it came after such a document.
 */
export type InsertOutcome = 'stored' | 'collided' | 'refused' | 'untried';

const DUPLICATE_KEY = 11_000;

/** Returns the outcomes of a batch that failed with this error; undefined if they are unknown. */
export function outcomesOf(error: unknown, size: number): InsertOutcome[] | undefined {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return undefined;
  const [first] = error.result.getWriteErrors();
  if (first?.code !== DUPLICATE_KEY) return undefined;
  const { index: refusedAt, errmsg } = first;
  const refusal = isPositionTaken(errmsg) ? 'collided' : 'refused';
  return Array.from({ length: size }, (_, index) =>
    index < refusedAt ? 'stored' : index === refusedAt ? refusal : 'untried',
  );
}

/** Whether documents of an unordered batch violate unique indexes; all others are stored. */
export const isDuplicate = (error: unknown): error is Error =>
  error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY;

/** Whether a duplicate key error concerns the feed key. The driver names the index only in the message. */
export const isPositionTaken = (message = '') => message.includes(' index: _id_ ');
