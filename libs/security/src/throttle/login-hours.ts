/** How many logins an hour accepted and refused. `hour` counts hours since the start of 1970. */
export type LoginHour = Readonly<{ hour: number; accepted: number; refused: number }>;

/** The number of hours that are kept. */
export const KEPT_HOURS = 48;

/** Counts the logins of all processes by hour. Older hours expire, and a power failure may lose the latest counts. */
export abstract class LoginHours {
  /** Adds counts to those of their hours. Throws `StoreUnavailable`. */
  abstract add(counts: readonly LoginHour[]): Promise<void>;
  /** Returns the hours from `first` to `last` that have counts, the oldest first. Throws `StoreUnavailable`. */
  abstract between(first: number, last: number): Promise<LoginHour[]>;
}
