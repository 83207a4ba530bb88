import mongoose, { type mongo } from 'mongoose';
import { PLACES_PER_RANGE, type Ranks } from './list-ranks.js';

type Time = mongo.Timestamp;
const { Timestamp } = mongoose.mongo;

/** Entries that one query counts: several short ones rather than one that takes longer than an operation may. */
const ENTRIES_PER_QUERY = 100_000;

/** Later than every time that a server gives. */
export const NEVER: Time = new Timestamp({ t: 0xffff_ffff, i: 0 });

export const secondsBefore = ({ t }: Time, seconds: number): Time => new Timestamp({ t: t - seconds, i: 0 });

/** How many more entries each range has now (`untilNow`) and had at `next` (`untilNext`) than it had at `at`. */
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

/** How many `entries` each range has among those whose place comes after `after`, of which so many are looked at; `last`: where they end. */
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

const rangeOf = (place: string) => ({ $floor: { $divide: [place, PLACES_PER_RANGE] } });

const changesBefore = (time: Time) => ({
  $size: { $filter: { input: '$listing.changes', cond: { $lt: ['$$this', time] } } },
});

/** 1 when an entry came between two numbers of changes, -1 when it went: after an odd number of changes it is in the list. */
const entered = (before: string, after: string) => ({
  $subtract: [{ $mod: [after, 2] }, { $mod: [before, 2] }],
});
