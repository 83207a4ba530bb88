/**
 * How tries that share a key are bounded. From the `limit`-th failure on, each one blocks the key: at first for `firstBlock`, then
 * for twice as long each time, up to `maxBlock`. A key without failures for `forgetAfter` starts anew; `countFrom` tells whether
 * that time runs from the first failure counted or from the last. Times in milliseconds.
 */
export type ThrottleRule = Readonly<{
  limit: number;
  firstBlock: number;
  maxBlock: number;
  forgetAfter: number;
  countFrom: 'first' | 'last';
}>;

/** One key that a try counts on. `told`: the answer says what the key counts, which may cost a round trip more. */
export type ThrottledKey = Readonly<{ key: string; rule: ThrottleRule; told?: true }>;

/** `failures`: what each key that is to be `told` counts now, this try included, in the order asked. */
export type Admission =
  Readonly<{ admitted: true; failures: readonly number[] }> | Readonly<{ admitted: false; retryAfterSeconds: number }>;

/** What to do about the keys of a try that succeeded; `until` in unix milliseconds. */
export type Success = Readonly<{
  /** Keys that start anew. */
  clear?: readonly string[];
  /** Keys that get this try back. */
  giveBack?: readonly string[];
  /** A key to remember as known. */
  remember?: Readonly<{ key: string; until: number }>;
}>;

/** Counters of failed tries, common to all processes. They expire by themselves and may be lost with the power. */
export abstract class ThrottleStore {
  /** Counts one try on every key before it is checked, or on none when one of them is blocked: a refused try extends nothing. */
  abstract take(keys: readonly ThrottledKey[], now: number): Promise<Admission>;
  /** For how many seconds `take` would refuse, 0 when it would admit. Counts nothing, so a try at the same moment may come before. */
  abstract look(keys: readonly ThrottledKey[], now: number): Promise<number>;
  abstract succeed(success: Success): Promise<void>;
  /** Whether a success has had the key remembered until after `now`. */
  abstract isRemembered(key: string, now: number): Promise<boolean>;
}
