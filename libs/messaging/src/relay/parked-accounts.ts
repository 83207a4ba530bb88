/** An account whose commits wait because the one at `position` of its slot cannot be delivered. `at` is in Unix milliseconds. */
export type ParkedAccount = Readonly<{
  slot: number;
  partition: string;
  position: number;
  error: string;
  at: number;
  /** The epoch of the lease under which the record was written; records of an earlier epoch are stale. */
  epoch: number;
}>;

/**
 * Stores the accounts whose commits wait while those of all others are delivered. A record means that the commits of its account from its
 * position on are still to be delivered. So it is written before the relay's checkpoint passes that position, and stored beside the
 * checkpoint: a backup contains both or neither. Every method may throw `StoreUnavailable`.
 */
export abstract class ParkedAccounts {
  /** Creates or replaces the record of an account, unless it has one of a later epoch. */
  abstract park(parked: ParkedAccount): Promise<void>;

  /** Removes a record, unless it was replaced by one with another position or epoch. */
  abstract unpark(parked: ParkedAccount): Promise<void>;

  /** Returns all records, or those of one slot, oldest first. */
  abstract all(slot?: number): Promise<ParkedAccount[]>;

  /** Returns some of the records, oldest first, and the number of all. */
  abstract page(offset: number, limit: number): Promise<Readonly<{ items: readonly ParkedAccount[]; total: number }>>;

  /** Asks the process that holds the slot of an account to retry it at once. Returns false if the account is not parked. */
  abstract requestRetry(partition: string): Promise<boolean>;

  /** Returns the accounts of these slots whose retry was requested, and forgets the requests. */
  abstract takeRetries(slots: readonly number[]): Promise<Pick<ParkedAccount, 'slot' | 'partition'>[]>;
}
