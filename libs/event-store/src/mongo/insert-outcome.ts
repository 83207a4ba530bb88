import mongoose from 'mongoose';

/**
 * What became of a document of an ordered batch. `collided`: another commit has its place. `refused`: something else stands against
 * it. `untried`: it stood behind such a one.
 */
export type InsertOutcome = 'stored' | 'collided' | 'refused' | 'untried';

const DUPLICATE_KEY = 11_000;

/** What the documents of a batch came to that ended with this error; `undefined`: nobody knows. */
export function outcomesOf(error: unknown, size: number): InsertOutcome[] | undefined {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return undefined;
  const [first] = error.result.getWriteErrors();
  if (first?.code !== DUPLICATE_KEY) return undefined;
  const { index: refusedAt, errmsg } = first;
  const refusal = isPlaceTaken(errmsg) ? 'collided' : 'refused';
  return Array.from({ length: size }, (_, index) =>
    index < refusedAt ? 'stored' : index === refusedAt ? refusal : 'untried',
  );
}

/** Some of the documents of an unordered batch violate unique indexes; the others are stored. */
export const isDuplicate = (error: unknown): error is Error =>
  error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY;

/** The driver passes on in the text only which index it is. */
export const isPlaceTaken = (message = '') => message.includes(' index: _id_ ');
