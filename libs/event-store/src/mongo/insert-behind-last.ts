import type { mongo } from 'mongoose';
import type { NewCommit } from '../commit.js';
import { COMMITS, placeOf, slotOf } from './commit.model.js';

/**
 * Stores commits behind what is last in their slots at that moment, without knowing the places: the server finds and takes them in one
 * command, so other processes have next to no time to come between. It reads what it has itself, acknowledged or not; what it
 * writes stands behind that in the same history, and it ends with an error when it is no longer primary. Of a slot one commit at
 * most: the batch is unordered. `atLeast` are ordinals that the slots have reached for good; the closer, the less is read.
 */
export async function insertBehindLast(
  database: mongo.Db,
  commits: readonly NewCommit[],
  atLeast: ReadonlyMap<number, number>,
): Promise<void> {
  const slots = commits.map(({ partition }) => slotOf(partition));
  const reached = slots.map((slot) => placeOf(slot, atLeast.get(slot) ?? 0));
  const beyond = slots.map((slot, index) => ({ _id: { $gt: reached[index], $lt: placeOf(slot + 1, 0) } }));
  const slot = { $floor: { $divide: ['$_id', placeOf(1, 0)] } };
  const commit = { $arrayElemAt: [{ $literal: commits }, { $indexOfArray: [{ $literal: slots }, '$_id'] }] };
  const pipeline = [
    { $documents: reached.map((place) => ({ _id: place })) },
    { $unionWith: { coll: COMMITS, pipeline: [{ $match: { $or: beyond } }, { $project: { _id: 1 } }] } },
    { $group: { _id: slot, last: { $max: '$_id' } } },
    { $replaceWith: { $mergeObjects: [{ _id: { $add: ['$last', 1] } }, commit] } },
    { $merge: { into: COMMITS, on: '_id', whenMatched: 'fail', whenNotMatched: 'insert' } },
  ];
  await database.aggregate(pipeline, { readConcern: { level: 'local' } }).toArray();
}
