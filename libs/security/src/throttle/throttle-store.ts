/**
 * Limits the attempts that share a key. From the `limit`-th failure on, each failure blocks the key: first for `firstBlock`, then
 * for twice as long each time, up to `maxBlock`. Failures expire after `forgetAfter`, which runs from the first or the last of them,
 * as `countFrom` says. Times are in milliseconds.
 */
export type ThrottleRule = Readonly<{
  limit: number;
  firstBlock: number;
  maxBlock: number;
  forgetAfter: number;
  countFrom: 'first' | 'last';
}>;

/** A key that an attempt counts on. `reportFailures` returns the key's count, which may cost an extra round trip. */
export type ThrottleKey = Readonly<{ key: string; rule: ThrottleRule; reportFailures?: true }>;

/** `failures`: the count of each key with `reportFailures`, this attempt included, in the order of the keys. */
export type Admission =
  Readonly<{ admitted: true; failures: readonly number[] }> | Readonly<{ admitted: false; retryAfterSeconds: number }>;

/** Changes to counters after an attempt. `until` is in unix milliseconds. */
export type CounterChanges = Readonly<{
  /** Keys whose failures are cleared. */
  reset?: readonly string[];
  /** Keys from which the attempt is subtracted. */
  refund?: readonly string[];
  /** A key to remember until a time. */
  remember?: Readonly<{ key: string; until: number }>;
}>;

/** Stores the counters of failed attempts for all processes. Counters expire, and a power failure may lose them. */
export abstract class ThrottleStore {
  /** Counts one attempt on every key before it is checked. If a key is blocked, it counts on none, so a refusal extends no block. */
  abstract admit(keys: readonly ThrottleKey[], now: number): Promise<Admission>;
  /** Returns for how many seconds `admit` would refuse, or 0. Counts nothing, so a concurrent attempt may still change the result. */
  abstract secondsBlocked(keys: readonly ThrottleKey[], now: number): Promise<number>;
  abstract apply(changes: CounterChanges): Promise<void>;
  /**
   * Deletes the counters of these keys and of every key that continues one of them after a colon. Returns how many were blocked. An attempt
   * in flight may still count on a deleted key.
   */
  abstract forgetAll(keys: readonly string[], now: number): Promise<number>;
  abstract isRemembered(key: string, now: number): Promise<boolean>;
}
