import { reaching } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import type { DueStream } from '../read-model-store.js';
import { PLACE_INDEX, type ReadModelDocument } from './read-model.model.js';

/** Returns streams of a model with `due`, as `ReadModelStore.listDue` does. */
export async function listDue(
  documents: mongo.Collection<ReadModelDocument>,
  until: number,
  limit: number,
  after?: DueStream,
): Promise<readonly DueStream[]> {
  // The lower bound keeps documents without a place out of the range.
  const range = { place: { $gte: after?.at ?? -Infinity, $lte: until } };
  const beyond = after && { $or: [{ place: { $gt: after.at } }, { _id: { $gt: after.stream } }] };
  const options = {
    sort: { place: 1, _id: 1 },
    hint: PLACE_INDEX,
    limit,
    projection: { place: 1, partition: 1 },
  } as const;
  const found = await reaching(() => documents.find({ ...range, ...beyond }, options).toArray());
  return found.map(({ _id: stream, partition = '', place = 0 }) => ({ stream, partition, at: place }));
}
