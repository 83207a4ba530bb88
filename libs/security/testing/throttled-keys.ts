import type { ThrottledKey, ThrottleRule } from '../src/throttle.js';

export const MINUTE = 60_000;
/** A day that no clock shows yet: databases remove by their own clock what is over. */
export const NOON = Date.UTC(2100, 0, 15, 12);

const rule: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: 5 * MINUTE,
  forgetAfter: 5 * MINUTE,
  countFrom: 'last',
};
/** A key whose failures the answer tells; five failures, then five minutes. */
export const key = (name: string, differing: Partial<ThrottleRule> = {}): ThrottledKey => ({
  key: name,
  rule: { ...rule, ...differing },
  told: true,
});
/** What `take` answers: how often each key that is to be told has failed with this try. */
export const admitted = (...failures: number[]) => ({ admitted: true, failures });
/** What `take` answers where a key is blocked. */
export const refused = (retryAfterSeconds: number) => ({ admitted: false, retryAfterSeconds });
