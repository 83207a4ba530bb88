import mongoose, { type mongo } from 'mongoose';
import { SORT_KEYS_PER_RANGE, type Ranks } from './list-ranks.js';

type Time = mongo.Timestamp;
const { Timestamp } = mongoose.mongo;

/** Maximum number of entries that one query counts, so that none exceeds the time limit of an operation. */
const ENTRIES_PER_QUERY = 100_000;

/** Later than any time of a server. */
export const NEVER: Time = new Timestamp({ t: 0xffff_ffff, i: 0 });

export const secondsBefore = ({ t }: Time, seconds: number): Time => new Timestamp({ t: t - seconds, i: 0 });

/** Computes by how many entries each range has grown from `at` until now (`untilNow`) and until `next` (`untilNext`). */
export const changesPipeline = ({ at, next }: { at: Time; next: Time }): mongo.Document[] => [
  { $match: { 'listing.at': { $gte: at } } },
  {
    $project: {
      range: rangeOf('$listing.place'),
      now: { $size: '$listing.changes' },
      at: changesBefore(at),
      next: changesBefore(next),
    },
  },
  { $project: { range: 1, untilNow: entered('$at', '$now'), untilNext: entered('$at', '$next') } },
  { $match: { $or: [{ untilNow: { $ne: 0 } }, { untilNext: { $ne: 0 } }] } },
  { $group: { _id: '$range', untilNow: { $sum: '$untilNow' }, untilNext: { $sum: '$untilNext' } } },
];

/** Counts the `entries` of each range after the sort key `after`, in steps of `ENTRIES_PER_QUERY`. `last` is the last sort key counted. */
export const entriesPipeline = (after: number): mongo.Document[] => [
  { $match: { place: { $gt: after } } },
  { $sort: { place: 1 } },
  { $limit: ENTRIES_PER_QUERY },
  { $project: { _id: 0, place: 1 } },
  { $group: { _id: rangeOf('$place'), entries: { $sum: 1 }, last: { $max: '$place' } } },
];

export const ranksIn = (documents: readonly mongo.Document[], field: string): Ranks =>
  documents
    .map((document) => [Number(document['_id']), Number(document[field])] as const)
    .filter(([, count]) => count !== 0);

const rangeOf = (field: string) => ({ $floor: { $divide: [field, SORT_KEYS_PER_RANGE] } });

const changesBefore = (time: Time) => ({
  $size: { $filter: { input: '$listing.changes', cond: { $lt: ['$$this', time] } } },
});

/** 1 if an entry joined the list between two numbers of changes, -1 if it left: after an odd number of changes it is listed. */
const entered = (before: string, after: string) => ({
  $subtract: [{ $mod: [after, 2] }, { $mod: [before, 2] }],
});
