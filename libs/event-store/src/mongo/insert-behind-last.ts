import type { mongo } from 'mongoose';
import type { NewCommit } from '../commit.js';
import { COMMITS, placeOf, slotOf } from './commit.model.js';

/**
 * Stores commits behind what is last in their slots at that moment, without knowing the places: the server finds and takes them in one
 * command, so other processes have next to no time to come between. It reads what it has itself, acknowledged or not; what it
 * writes stands behind that in the same history, and it ends with an error when it is no longer primary. Of a slot one commit at
 * most: the batch is unordered.
 */
export async function insertBehindLast(database: mongo.Db, commits: readonly NewCommit[]): Promise<void> {
  const wanted = commits.map((commit) => {
    const slot = slotOf(commit.partition);
    return { first: placeOf(slot, 0), end: placeOf(slot + 1, 0), commit: { $literal: commit } };
  });
  const inSlot = { $and: [{ $gt: ['$_id', '$$first'] }, { $lt: ['$_id', '$$end'] }] };
  const pipeline = [
    { $documents: wanted },
    {
      $lookup: {
        from: COMMITS,
        let: { first: '$first', end: '$end' },
        pipeline: [{ $match: { $expr: inSlot } }, { $sort: { _id: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }],
        as: 'last',
      },
    },
    { $set: { place: { $add: [{ $ifNull: [{ $first: '$last._id' }, '$first'] }, 1] } } },
    { $replaceWith: { $mergeObjects: [{ _id: '$place' }, '$commit'] } },
    { $merge: { into: COMMITS, on: '_id', whenMatched: 'fail', whenNotMatched: 'insert' } },
  ];
  await database.aggregate(pipeline, { readConcern: { level: 'local' } }).toArray();
}
