import type { mongo } from 'mongoose';
import type { Success, ThrottledKey } from '../throttle.js';

/** A try to count: its own id, and when it was made in unix milliseconds. */
export type Try = Readonly<{ id: string; now: number }>;
type Pipeline = mongo.Document[];

/** Tries of which a key knows the ids: more than can be under way at once. */
const TRIES_KNOWN = 100;
const NOTHING = { failures: 0, blockedUntil: 0, blockedBefore: 0, expires: new Date(0), tries: [] };

/** Counts a try on a key, and blocks the key when the try is one too many. */
export function countPipeline({ key, rule }: ThrottledKey, { id, now }: Try): Pipeline {
  const { limit, firstBlock, maxBlock, forgetAfter, countFrom } = rule;
  const [time, forgotten] = [new Date(now), new Date(now + forgetAfter)];
  const over = { $lte: [{ $ifNull: ['$expires', NOTHING.expires] }, time] };
  const before = fieldsOf(['failures', 'blockedUntil', 'blockedBefore', 'expires', 'tries']);
  const counted = {
    _id: { $literal: key },
    failures: { $cond: [over, 1, { $add: ['$failures', 1] }] },
    blockedUntil: { $ifNull: ['$blockedUntil', 0] },
    blockedBefore: { $ifNull: ['$blockedUntil', 0] },
    expires: { $cond: [countFrom === 'last' ? true : over, forgotten, '$expires'] },
    tries: { $cond: [over, [id], { $slice: [{ $concatArrays: ['$tries', [id]] }, -TRIES_KNOWN] }] },
    before,
  };
  const doublings = { $min: [{ $subtract: ['$failures', limit] }, 30] };
  const end = { $add: [now, { $min: [maxBlock, { $multiply: [firstBlock, { $pow: [2, doublings] }] }] }] };
  const blocks = { $gte: ['$failures', limit] };
  const blocked = {
    blockedUntil: { $cond: [blocks, end, '$blockedUntil'] },
    expires: { $cond: [blocks, { $max: ['$expires', { $toDate: end }] }, '$expires'] },
  };
  return [{ $replaceWith: counted }, { $set: blocked }];
}

/**
 * Makes a key as if the try had never been counted: as it was before, when no other came since, else with one failure less. A try
 * that the key does not know any more was forgotten together with others.
 */
export function takeBackPipeline({ id }: Try): Pipeline {
  const untouched = { $mergeObjects: [{ _id: '$_id', ...NOTHING }, '$before'] };
  const counted = { $in: [id, { $ifNull: ['$tries', []] }] };
  const isLast = { $and: [{ $eq: [{ $last: '$tries' }, id] }, knowsBefore] };
  const oneLess = { $mergeObjects: ['$$ROOT', lessOne({ without: id })] };
  return [{ $replaceWith: { $cond: [counted, { $cond: [isLast, untouched, oneLess] }, '$$ROOT'] } }];
}

/** Everything that a success does, as members of one round trip: a key that starts anew is not deleted, which would be a second one. */
export function successUpdates({ clear = [], giveBack = [], remember }: Success): mongo.AnyBulkWriteOperation[] {
  return [
    ...clear.map((_id) => updateOne({ _id }, [{ $replaceWith: { _id: '$_id', ...NOTHING } }])),
    ...giveBack.map((_id) => updateOne({ _id }, [{ $set: lessOne({}) }])),
    ...(remember ? [rememberUpdate(remember)] : []),
  ];
}

export const updateOne = (filter: mongo.Document, update: Pipeline, upsert = false) => ({
  updateOne: { filter, update, upsert },
});

function rememberUpdate({ key: _id, until }: NonNullable<Success['remember']>) {
  const { expires, ...counters } = NOTHING;
  const known = { $max: [{ $ifNull: ['$expires', expires] }, new Date(until)] };
  return updateOne({ _id }, [{ $replaceWith: { $mergeObjects: [counters, '$$ROOT', { expires: known }] } }], true);
}

/** `before` belongs to the last try; it is gone when the try was. */
const knowsBefore = { $eq: [{ $type: '$before' }, 'object'] };

/** One failure less, also in what is restored when the last try is taken back: that one came later than the one given back. */
function lessOne({ without }: { without?: string }): mongo.Document {
  const less = (path: string) => ({
    failures: { $max: [0, { $subtract: [{ $ifNull: [`${path}failures`, 0] }, 1] }] },
    blockedUntil: { $ifNull: [`${path}blockedBefore`, 0] },
  });
  const tries = without === undefined ? '$tries' : { $filter: { input: '$tries', cond: { $ne: ['$$this', without] } } };
  const before = { $cond: [knowsBefore, { $mergeObjects: ['$before', less('$before.')] }, '$$REMOVE'] };
  return { ...less('$'), tries, before };
}

const fieldsOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `$${name}`]));
