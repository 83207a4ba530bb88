/** The right of `owner` to work on a slot for a reader, and the checkpoint there. `epoch` grows with every change of the owner. */
export type Lease = Readonly<{ reader: string; slot: number; owner: string; epoch: number; position: number }>;

/** Another process holds the slot now, or none does. Stop working on it. */
export class LeaseLost extends Error {
  constructor({ reader, slot }: Lease) {
    super(`${reader} lost the lease of slot ${slot}`);
    this.name = 'LeaseLost';
  }
}

/** The checkpoint of a reader in a slot, and the process that works on it. */
export type SlotProgress = Readonly<{ slot: number; position: number; owner: string | undefined }>;

/**
 * Assigns slots to the processes of a reader and stores its checkpoints. All times are measured by the store's clock, so the clocks of
 * the processes do not matter. The name of an owner is never reused by another process. Every method may throw `StoreUnavailable`.
 */
export abstract class FeedLeases {
  /** Registers `owner` as a member of the reader for `milliseconds`. Returns the names of all members, including its own. */
  abstract join(reader: string, owner: string, milliseconds: number): Promise<string[]>;

  /** Takes or renews the slots that no other process holds, for `milliseconds`. Returns the leases that `owner` then holds. */
  abstract take(reader: string, owner: string, slots: readonly number[], milliseconds: number): Promise<Lease[]>;

  /** Releases leases before they expire. Leases that other processes hold by now are left alone. */
  abstract release(leases: readonly Lease[]): Promise<void>;

  /** Releases leases like `release`, and forgets their checkpoints and epochs, for a reader whose slots would pile up otherwise. */
  abstract remove(leases: readonly Lease[]): Promise<void>;

  abstract leave(reader: string, owner: string): Promise<void>;

  /** Moves the checkpoint forward, never back. Throws `LeaseLost` if the slot has a different owner or epoch, or none. */
  abstract advance(lease: Lease, position: number): Promise<void>;

  /** Returns the readers that have at least one valid lease. */
  abstract readers(): Promise<string[]>;

  /** Returns the time of the store's clock, in unix milliseconds. */
  abstract now(): Promise<number>;

  /** Returns the progress of every slot that was ever taken for the reader, in slot order. */
  abstract progress(reader: string): Promise<SlotProgress[]>;
}
