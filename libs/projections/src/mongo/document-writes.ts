import type { mongo } from 'mongoose';
import type { Loaded } from '../fold.js';
import { readModelOf } from '../read-model.js';
import type { StreamRef } from '../stream-ref.js';
import type { ReadModelDocument } from './read-model.model.js';

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
  const sortKey = readModelOf(ref).sortKeyOf?.(state) ?? null;
  const written = {
    _id: { $literal: stream },
    version,
    state: { $literal: text },
    ...(sortKey !== null && { place: sortKey, partition: { $literal: partition } }),
  };
  const replacement = { $cond: [{ [guard]: ['$version', version] }, written, '$$ROOT'] };
  return { updateOne: { filter: { _id: stream }, update: [{ $replaceWith: replacement }], upsert: true } };
}
