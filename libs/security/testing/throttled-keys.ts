import type { ThrottleKey, ThrottleRule } from '../src/throttle/throttle-store.js';

export const MINUTE = 60_000;
/** A day in the future, because databases delete expired counters by their own clock. */
export const NOON = Date.UTC(2100, 0, 15, 12);

const rule: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: 5 * MINUTE,
  forgetAfter: 5 * MINUTE,
  countFrom: 'last',
};
/** Returns a key that reports its failures and blocks for five minutes after five of them. */
export const key = (name: string, overrides: Partial<ThrottleRule> = {}): ThrottleKey => ({
  key: name,
  rule: { ...rule, ...overrides },
  reportFailures: true,
});
/** The result of `admit` for an admitted attempt, with the failures that keys report. */
export const admitted = (...failures: number[]) => ({ admitted: true, failures });
/** The result of `admit` for a blocked key. */
export const refused = (retryAfterSeconds: number) => ({ admitted: false, retryAfterSeconds });
