/** An account whose events wait, because the one at `position` of its slot cannot be sent. `at` in unix milliseconds. */
export type ParkedAccount = Readonly<{
  slot: number;
  partition: string;
  position: number;
  error: string;
  at: number;
  /** Of the lease under which this was written: what a process writes that lost the slot does not count any more. */
  epoch: number;
}>;

/**
 * Accounts whose events are not sent for the time being; all others go on. While a record stands, everything of its account from its
 * position on is still to be sent, so it is written before the relay's checkpoint passes that position, and it lies where the
 * checkpoint lies: lost together, both are made again. Every method may fail with `StoreUnavailable`.
 */
export abstract class ParkedAccounts {
  /** Writes the record of an account, or replaces it, unless there is one of a later epoch. */
  abstract park(parked: ParkedAccount): Promise<void>;

  /** Removes the record, unless it was written again meanwhile with another position or epoch. */
  abstract unpark(parked: ParkedAccount): Promise<void>;

  /** All records, or those of one slot, the oldest first. */
  abstract all(slot?: number): Promise<ParkedAccount[]>;
}
