/** `owner`'s right to work on a slot for a reader, and how far the slot was read. `epoch` grows with every change of the owner. */
export type Lease = Readonly<{ reader: string; slot: number; owner: string; epoch: number; position: number }>;

/** The slot belongs to another process by now, or to nobody: stop working on it. */
export class LeaseLost extends Error {
  constructor({ reader, slot }: Lease) {
    super(`${reader} lost the lease of slot ${slot}`);
    this.name = 'LeaseLost';
  }
}

/** How far a reader has come in a slot, and who works on it. */
export type SlotProgress = Readonly<{ slot: number; position: number; owner: string | undefined }>;

/**
 * Who of several processes reads which slot for a reader, and how far each slot was read. All times are of the store's clock, so that
 * the clocks of the processes do not matter. An owner's name is never used again by another process. Every method may fail with
 * `StoreUnavailable`.
 */
export abstract class FeedLeases {
  /** Says that `owner` works for the reader for the next `milliseconds`; answers the names of all who do, its own included. */
  abstract join(reader: string, owner: string, milliseconds: number): Promise<string[]>;

  /** Takes those of the slots that nobody else holds, or renews them, for `milliseconds`; answers those that `owner` holds then. */
  abstract take(reader: string, owner: string, slots: readonly number[], milliseconds: number): Promise<Lease[]>;

  /** Gives slots up, so that others need not wait for the end of the lease; what belongs to others by now stays theirs. */
  abstract release(leases: readonly Lease[]): Promise<void>;

  /** Stops being counted among those who work for the reader. */
  abstract leave(reader: string, owner: string): Promise<void>;

  /** Moves the checkpoint forward, never back. Throws `LeaseLost` when the slot has another owner or epoch by now, or none. */
  abstract advance(lease: Lease, position: number): Promise<void>;

  /** The readers for whom somebody holds a slot now. */
  abstract readers(): Promise<string[]>;

  /** What time it is by the store's clock, in unix milliseconds. */
  abstract now(): Promise<number>;

  /** The progress of every slot that was ever taken for the reader, by slot. */
  abstract progress(reader: string): Promise<SlotProgress[]>;
}
