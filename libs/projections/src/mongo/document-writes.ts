import type { mongo } from 'mongoose';
import type { Loaded } from '../fold.js';
import { readModelOf } from '../read-model.js';
import type { StreamRef } from '../stream-ref.js';
import type { ReadModelDocument } from './read-model.model.js';

export type Write = mongo.AnyBulkWriteOperation<ReadModelDocument>;

/** What MongoDB takes as one document (16 MiB), less what stands around the state. */
const MAX_STATE_BYTES = 16 * 1024 * 1024 - 4096;

/**
 * Writes a document unless a later version is there (`$lte`), or the same as well (`$lt`). The guard stands in the update and not in
 * the filter: then two who write the first document of a stream at once are told apart by the server, which tries the loser again.
 * Throws `RangeError` for a state that MongoDB cannot store.
 */
export function writeOf<State>(ref: StreamRef<State>, { version, state }: Loaded<State>, guard: '$lt' | '$lte'): Write {
  const { stream } = ref;
  const model = readModelOf(ref);
  const text = JSON.stringify(state);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES) {
    throw new RangeError(`the state of ${stream} takes ${bytes} bytes, MongoDB stores at most ${MAX_STATE_BYTES}`);
  }
  const fields = { _id: { $literal: stream }, version, state: { $literal: text } };
  const written = model.sortKeyOf ? { ...fields, ...listed(model.sortKeyOf(state)) } : fields;
  return update({ _id: stream }, { $cond: [{ [guard]: ['$version', version] }, written, '$$ROOT'] }, true);
}

/** Removes a document of exactly this version. What was in a list leaves a trace there, because lists are counted by changes. */
export function removalOf(ref: StreamRef<unknown>, version: number): Write {
  const { stream } = ref;
  const filter = { _id: stream, version };
  if (!readModelOf(ref).sortKeyOf) return { deleteOne: { filter } };
  return update(filter, { _id: { $literal: stream }, ...listed(null) }, false);
}

const update = (filter: mongo.Filter<ReadModelDocument>, document: mongo.Document, upsert: boolean): Write => ({
  updateOne: { filter, update: [{ $replaceWith: document }], upsert },
});

/** The fields of a document that now has this sort key, which is stored as `place`. The time of a change is the server's, which only grows, also over elections. */
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
