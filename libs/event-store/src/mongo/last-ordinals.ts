import type { mongo } from 'mongoose';
import { ordinalOfPlace, placeOf, slotOfPlace, type CommitDocument } from './commit.model.js';
import { reaching } from './mongo-connection.js';

/** The last ordinal of each slot, 0 where there is none; one round trip. */
export async function readLastOrdinals(
  commits: mongo.Collection<CommitDocument>,
  slots: readonly number[],
): Promise<Map<number, number>> {
  const [first, ...others] = slots.map(lastPlaceOf);
  const pipeline = [
    ...first!,
    ...others.map((stages) => ({ $unionWith: { coll: commits.collectionName, pipeline: stages } })),
  ];
  const places = await reaching(() => commits.aggregate<{ _id: number }>(pipeline).toArray());
  const ordinals = new Map(slots.map((slot) => [slot, 0]));
  for (const { _id: place } of places) ordinals.set(slotOfPlace(place), ordinalOfPlace(place));
  return ordinals;
}

const lastPlaceOf = (slot: number) => [
  { $match: { _id: { $gt: placeOf(slot, 0), $lt: placeOf(slot + 1, 0) } } },
  { $sort: { _id: -1 } },
  { $limit: 1 },
  { $project: { _id: 1 } },
];
