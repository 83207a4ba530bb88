import type { mongo } from 'mongoose';
import type { CounterChanges, ThrottleKey } from '../throttle/throttle-store.js';

/** An attempt to count: a unique id, and its time in unix milliseconds. */
export type Attempt = Readonly<{ id: string; now: number }>;
type Pipeline = mongo.Document[];

/** How many attempt ids a key keeps, more than can be in flight at once. */
const KEPT_ATTEMPTS = 100;
const EMPTY = { failures: 0, blockedUntil: 0, blockedBefore: 0, expires: new Date(0), tries: [] };

/** Counts an attempt on a key, and blocks the key if the attempt reaches the limit. */
export function countPipeline({ key, rule }: ThrottleKey, { id, now }: Attempt): Pipeline {
  const { limit, firstBlock, maxBlock, forgetAfter, countFrom } = rule;
  const [time, expiry] = [new Date(now), new Date(now + forgetAfter)];
  const isExpired = { $lte: [{ $ifNull: ['$expires', EMPTY.expires] }, time] };
  const before = fieldsOf(['failures', 'blockedUntil', 'blockedBefore', 'expires', 'tries']);
  const counted = {
    _id: { $literal: key },
    failures: { $cond: [isExpired, 1, { $add: ['$failures', 1] }] },
    blockedUntil: { $ifNull: ['$blockedUntil', 0] },
    blockedBefore: { $ifNull: ['$blockedUntil', 0] },
    expires: { $cond: [countFrom === 'last' ? true : isExpired, expiry, '$expires'] },
    tries: { $cond: [isExpired, [id], { $slice: [{ $concatArrays: ['$tries', [id]] }, -KEPT_ATTEMPTS] }] },
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
 * Undoes the count of an attempt: restores the previous document if no other attempt came since, else subtracts one failure. Does nothing
 * if the key does not know the attempt: it was reset since, or was never counted.
 */
export function undoPipeline({ id }: Attempt): Pipeline {
  const untouched = { $mergeObjects: [{ _id: '$_id', ...EMPTY }, '$before'] };
  const counted = { $in: [id, { $ifNull: ['$tries', []] }] };
  const isLast = { $and: [{ $eq: [{ $last: '$tries' }, id] }, knowsBefore] };
  const oneLess = { $mergeObjects: ['$$ROOT', lessOne({ without: id })] };
  return [{ $replaceWith: { $cond: [counted, { $cond: [isLast, untouched, oneLess] }, '$$ROOT'] } }];
}

/** Returns all changes as updates of one round trip. Resets a key by an update, because a deletion would be a second round trip. */
export function changeUpdates({ reset = [], refund = [], remember }: CounterChanges): mongo.AnyBulkWriteOperation[] {
  return [
    ...reset.map((_id) => updateOne({ _id }, [{ $replaceWith: { _id: '$_id', ...EMPTY } }])),
    ...refund.map((_id) => updateOne({ _id }, [{ $set: lessOne({}) }])),
    ...(remember ? [rememberUpdate(remember)] : []),
  ];
}

export const updateOne = (filter: mongo.Document, update: Pipeline, upsert = false) => ({
  updateOne: { filter, update, upsert },
});

function rememberUpdate({ key: _id, until }: NonNullable<CounterChanges['remember']>) {
  const { expires, ...counters } = EMPTY;
  const known = { $max: [{ $ifNull: ['$expires', expires] }, new Date(until)] };
  return updateOne({ _id }, [{ $replaceWith: { $mergeObjects: [counters, '$$ROOT', { expires: known }] } }], true);
}

/** `before` belongs to the last attempt and is removed when that attempt is undone. */
const knowsBefore = { $eq: [{ $type: '$before' }, 'object'] };

/** Subtracts one failure, also from the document that an undo of the last attempt restores. */
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
