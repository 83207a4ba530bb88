import type { mongo } from 'mongoose';
import type { NewCommit } from '../commit.js';
import { COMMITS, feedKeyOf, slotOf } from './commit.model.js';

/**
 * Stores commits at the first free positions of their slots. The server finds and takes the positions in one command, which leaves other
 * processes almost no time to interfere. The server reads its own data, whether acknowledged or not; its writes follow in the same
 * history, and it fails if it is no longer primary. The batch is unordered, so it may contain at most one commit of a slot. `atLeast`
 * holds positions that the slots have certainly reached; the closer they are, the less the server reads.
 */
export async function insertBehindLast(
  database: mongo.Db,
  commits: readonly NewCommit[],
  atLeast: ReadonlyMap<number, number>,
): Promise<void> {
  const slots = commits.map(({ partition }) => slotOf(partition));
  const reached = slots.map((slot) => feedKeyOf(slot, atLeast.get(slot) ?? 0));
  const beyond = slots.map((slot, index) => ({ _id: { $gt: reached[index], $lt: feedKeyOf(slot + 1, 0) } }));
  const slot = { $floor: { $divide: ['$_id', feedKeyOf(1, 0)] } };
  const commit = { $arrayElemAt: [{ $literal: commits }, { $indexOfArray: [{ $literal: slots }, '$_id'] }] };
  const pipeline = [
    { $documents: reached.map((key) => ({ _id: key })) },
    { $unionWith: { coll: COMMITS, pipeline: [{ $match: { $or: beyond } }, { $project: { _id: 1 } }] } },
    { $group: { _id: slot, last: { $max: '$_id' } } },
    { $replaceWith: { $mergeObjects: [{ _id: { $add: ['$last', 1] } }, commit] } },
    { $merge: { into: COMMITS, on: '_id', whenMatched: 'fail', whenNotMatched: 'insert' } },
  ];
  await database.aggregate(pipeline, { readConcern: { level: 'local' } }).toArray();
}
