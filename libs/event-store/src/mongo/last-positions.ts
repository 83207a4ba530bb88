import type { mongo } from 'mongoose';
import { positionOfKey, feedKeyOf, slotOfKey, type CommitDocument } from './commit.model.js';
import { reaching } from './mongo-connection.js';

/** Returns the last position of each slot, 0 if it is empty. One round trip. */
export async function readLastPositions(
  commits: mongo.Collection<CommitDocument>,
  slots: readonly number[],
): Promise<Map<number, number>> {
  const [first, ...others] = slots.map(lastKeyOf);
  const pipeline = [
    ...first!,
    ...others.map((stages) => ({ $unionWith: { coll: commits.collectionName, pipeline: stages } })),
  ];
  const found = await reaching(() => commits.aggregate<{ _id: number }>(pipeline).toArray());
  const positions = new Map(slots.map((slot) => [slot, 0]));
  for (const { _id: key } of found) positions.set(slotOfKey(key), positionOfKey(key));
  return positions;
}

const lastKeyOf = (slot: number) => [
  { $match: { _id: { $gt: feedKeyOf(slot, 0), $lt: feedKeyOf(slot + 1, 0) } } },
  { $sort: { _id: -1 } },
  { $limit: 1 },
  { $project: { _id: 1 } },
];
