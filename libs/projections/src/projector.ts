import {
  feedLag,
  FeedReader,
  type Commit,
  type CommitFeed,
  type FeedLag,
  type FeedLeases,
  type FeedReaderStatus,
} from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Projection } from './projection.js';
import { readModels } from './read-model.js';
import { streamRef } from './stream-ref.js';

/** Milliseconds between two tries of the parked streams. */
const RETRY_PARKED_INTERVAL = 30_000;

/**
 * A reader is named after the models that it fills: a model with a raised schema number makes a new reader, which fills the new
 * documents from the start of the feed.
 */
export const projectorName = `projector:${readModels.map(({ name, schema }) => `${name}_${schema}`).join(',')}`;

/** What waits in the slots of one process; `parkedStreams` cannot be folded. */
export type ProjectorLag = FeedLag & Readonly<{ parkedStreams: number }>;

/**
 * Follows the feed and projects every stream that it names, so that a crash between a commit and its projection loses nothing. Several
 * projectors share the slots of the feed.
 */
export class Projector {
  readonly #feed: FeedReader;
  /** Never: a start tries at once, because it may be the start of the version that can read them. */
  #retriedParkedAt = -Infinity;

  constructor(
    private readonly commits: CommitFeed,
    private readonly projection: Projection,
    leases: FeedLeases,
    onError: (error: unknown) => void,
    options: Readonly<{ leaseMilliseconds?: number }> = {},
  ) {
    this.#feed = new FeedReader(commits, leases, {
      ...options,
      reader: projectorName,
      owner: `${hostname()}:${process.pid}:${randomUUID()}`,
      handle: (commits) => this.#project(commits),
      afterLook: () => this.#retryParked(),
      onError,
    });
  }

  /** Follows the feed until `stop`. */
  start(): void {
    this.#feed.start();
  }

  /** Finishes the batches at hand and leaves the slots to others. */
  stop(): Promise<void> {
    return this.#feed.stop();
  }

  /** Works through everything that is in the feed now, in the slots that no other process holds; before `start`. Throws `StoreUnavailable`. */
  catchUp(): Promise<void> {
    return this.#feed.catchUp();
  }

  status(): FeedReaderStatus {
    return this.#feed.status();
  }

  /** Looks into the store. Throws `StoreUnavailable`. */
  async lag(): Promise<ProjectorLag> {
    const { positions } = this.#feed.status();
    const [lag, parked] = await Promise.all([feedLag(this.commits, positions), this.projection.parked()]);
    const ofOwnSlots = parked.filter(({ partition }) => positions.has(this.commits.slotOf(partition)));
    return { ...lag, parkedStreams: ofOwnSlots.length };
  }

  /** All at once, so that an adapter can put reads and writes of many streams into one round trip. */
  async #project(commits: readonly Commit[]): Promise<void> {
    const projected = await Promise.allSettled(
      [...Map.groupBy(commits, ({ stream }) => stream)].map(async ([stream, [first, ...others]]) => {
        const ref = first && streamRef(stream, first.partition);
        if (ref) await this.projection.project(ref, [first, ...others]);
      }),
    );
    const failed = projected.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** By the process that holds the first slot, so that several do not do the same. */
  async #retryParked(): Promise<void> {
    if (!this.#feed.holds(0) || performance.now() - this.#retriedParkedAt < RETRY_PARKED_INTERVAL) return;
    this.#retriedParkedAt = performance.now();
    await this.projection.retryParked(streamRef);
  }
}
