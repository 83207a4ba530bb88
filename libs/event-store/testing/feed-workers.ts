import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { onTestFinished } from 'vitest';
import type { Commit } from '../src/commit.js';
import { StoreUnavailable } from '../src/event-store.errors.js';
import type { CommitFeed } from '../src/feed/commit-feed.js';
import { FeedLeases, type Lease, type SlotProgress } from '../src/feed/feed-leases.js';
import { FeedReader, type FeedReaderOptions } from '../src/feed/feed-reader.js';

type Handled = Readonly<{ owner: string; slot: number; commit: Commit }>;

/** Runs readers of one feed, like several processes, and records the commits that each handled. */
export class FeedWorkers {
  readonly handled: Handled[] = [];
  /** Slots that two readers worked on at once. */
  readonly overlaps: string[] = [];
  readonly errors: unknown[] = [];
  readonly #atWork = new Map<number, string>();

  constructor(private readonly feed: CommitFeed) {}

  /** Creates a reader, which is stopped after the test. `meanwhile` runs in the middle of each batch. */
  newReader(
    owner: string,
    leases: FeedLeases,
    options: Partial<FeedReaderOptions> = {},
    meanwhile: () => Promise<unknown> = () => sleep(5),
  ): FeedReader {
    const reader = new FeedReader(this.feed, leases, {
      reader: 'reader',
      owner,
      handle: (commits) => this.#handle(owner, commits, meanwhile),
      onError: (error) => this.errors.push(error),
      ...options,
    });
    onTestFinished(() => reader.stop());
    return reader;
  }

  /** The handled commits as `stream:version`, in order. */
  get done(): string[] {
    return this.handled.map(({ commit }) => `${commit.stream}:${commit.version}`);
  }

  async #handle(owner: string, commits: readonly Commit[], meanwhile: () => Promise<unknown>): Promise<void> {
    const slot = slotOf(commits[0]!, this.feed.slots);
    const other = this.#atWork.get(slot);
    if (other !== undefined) this.overlaps.push(`${owner} and ${other} on slot ${slot}`);
    this.#atWork.set(slot, owner);
    try {
      await meanwhile();
      this.handled.push(...commits.map((commit) => ({ owner, slot, commit })));
    } finally {
      this.#atWork.delete(slot);
    }
  }
}

const slotOf = ({ partition }: Commit, slots: number) =>
  partition.startsWith('void-') ? Number(partition.slice(5)) : crc32(partition) % slots;

/** Leases that a process cannot reach while it is cut off: it can neither renew nor release any. */
export class CuttableLeases extends FeedLeases {
  isCut = false;
  /** Whether checkpoints still reach the store. */
  letsAdvance = false;

  constructor(private readonly leases: FeedLeases) {
    super();
  }

  async join(reader: string, owner: string, milliseconds: number): Promise<string[]> {
    return this.#reached().join(reader, owner, milliseconds);
  }

  async take(reader: string, owner: string, slots: readonly number[], milliseconds: number): Promise<Lease[]> {
    return this.#reached().take(reader, owner, slots, milliseconds);
  }

  async release(leases: readonly Lease[]): Promise<void> {
    return this.#reached().release(leases);
  }

  async remove(leases: readonly Lease[]): Promise<void> {
    return this.#reached().remove(leases);
  }

  async leave(reader: string, owner: string): Promise<void> {
    return this.#reached().leave(reader, owner);
  }

  async advance(lease: Lease, position: number): Promise<void> {
    return (this.letsAdvance ? this.leases : this.#reached()).advance(lease, position);
  }

  async progress(reader: string): Promise<SlotProgress[]> {
    return this.leases.progress(reader);
  }

  async readers(): Promise<string[]> {
    return this.leases.readers();
  }

  async now(): Promise<number> {
    return this.leases.now();
  }

  #reached(): FeedLeases {
    if (this.isCut) throw new StoreUnavailable('cut off');
    return this.leases;
  }
}
