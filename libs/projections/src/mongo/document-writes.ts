import type { mongo } from 'mongoose';
import type { Loaded } from '../fold.js';
import { readModelOf, type ReadModel } from '../read-model.js';
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
  const model = readModelOf(ref);
  const text = JSON.stringify(state);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES) {
    throw new RangeError(`the state of ${stream} takes ${bytes} bytes, MongoDB stores at most ${MAX_STATE_BYTES}`);
  }
  const fields = { _id: { $literal: stream }, version, state: { $literal: text } };
  const sortKey = model.sortKeyOf?.(state) ?? null;
  const written = { ...fields, ...(isPlain(model) ? placed(sortKey, partition) : model.sortKeyOf && listed(sortKey)) };
  return update({ _id: stream }, { $cond: [{ [guard]: ['$version', version] }, written, '$$ROOT'] }, true);
}

/**
 * Builds the bulk-write operation that removes a document of exactly this version. If the model has a counted list, the document's `listing` stays,
 * because lists are counted by their changes.
 */
export function buildRemoval(ref: StreamRef<unknown>, version: number): Write {
  const { stream } = ref;
  const filter = { _id: stream, version };
  const model = readModelOf(ref);
  if (!model.sortKeyOf || isPlain(model)) return { deleteOne: { filter } };
  return update(filter, { _id: { $literal: stream }, ...listed(null) }, false);
}

const update = (filter: mongo.Filter<ReadModelDocument>, document: mongo.Document, upsert: boolean): Write => ({
  updateOne: { filter, update: [{ $replaceWith: document }], upsert },
});

/** Returns whether the model's list is read from its sort keys alone, without a count of its changes. */
const isPlain = ({ expires, due }: ReadModel<unknown>) => expires === true || due === true;

/** Returns the fields that list a document by its sort key, in all and in its partition. */
const placed = (sortKey: number | null, partition: string) =>
  sortKey === null ? {} : { place: sortKey, partition: { $literal: partition } };

/**
 * Returns the fields that list a document under this sort key (stored as `place`), or with `null` take it off the list. Changes carry the
 * server's cluster time, which never moves backwards, even across elections.
 */
function listed(sortKey: number | null) {
  const wasListed = { $ne: [{ $type: '$place' }, 'missing'] };
  const change = {
    place: sortKey ?? '$listing.place',
    changes: { $concatArrays: [{ $ifNull: ['$listing.changes', []] }, ['$$CLUSTER_TIME']] },
    at: '$$CLUSTER_TIME',
  };
  const listing = { $cond: [sortKey === null ? wasListed : { $not: wasListed }, change, '$listing'] };
  return sortKey === null ? { listing } : { place: sortKey, listing };
}
