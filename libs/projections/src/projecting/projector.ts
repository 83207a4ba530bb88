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
import { setImmediate } from 'node:timers/promises';
import { streamRef } from '../loading/stream-ref.js';
import { readModels } from '../read-model.js';
import { keyOwnersIn } from './key-owners.js';
import type { Projection } from './projection.js';

/** Larger than usual: a stream's document is read and written once for all of its commits in a page. */
const PAGE_SIZE = 1_000;
/** Writing a large document takes about a millisecond of CPU. */
const STREAMS_PER_ITERATION = 4;
/** Interval between retries of the parked streams, in milliseconds. */
const RETRY_PARKED_INTERVAL = 30_000;

/**
 * Name of the projector as a reader of the feed. It contains the schema numbers: a raised number makes a new reader, which fills the new
 * documents from the beginning of the feed.
 */
export const projectorName = `projector:${readModels.map(({ name, schema }) => `${name}_${schema}`).join(',')}`;

/** Lag in the slots of one process, and the number of their streams that cannot be folded. */
export type ProjectorLag = FeedLag & Readonly<{ parkedStreams: number }>;

/**
 * Follows the feed and projects every stream with new commits, so that a crash between append and projection loses nothing. Several
 * projectors share the slots.
 */
export class Projector {
  readonly #feed: FeedReader;
  /** Retries at startup too, because the new version may be able to read them. */
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
      // Nothing waits for a document: commands update the lists themselves, and reads start from the cache.
      listens: false,
      pageSize: PAGE_SIZE,
      afterPoll: () => this.#retryParked(),
      onError,
    });
  }

  start(): void {
    this.#feed.start();
  }

  /** Finishes the current batches and releases the slots. */
  stop(): Promise<void> {
    return this.#feed.stop();
  }

  /** Reads the feed to its present end, in the slots that no other process holds. Call it before `start`. Throws `StoreUnavailable`. */
  catchUp(): Promise<void> {
    return this.#feed.catchUp();
  }

  status(): FeedReaderStatus {
    return this.#feed.status();
  }

  /** Whether this process projects the streams of the partition now. */
  holds(partition: string): boolean {
    return this.#feed.holds(this.commits.slotOf(partition));
  }

  /** Measures the lag in the held slots. Throws `StoreUnavailable`. */
  async lag(): Promise<ProjectorLag> {
    const { positions } = this.#feed.status();
    const [lag, parked] = await Promise.all([feedLag(this.commits, positions), this.projection.parked()]);
    const ofOwnSlots = parked.filter(({ partition }) => positions.has(this.commits.slotOf(partition)));
    return { ...lag, parkedStreams: ofOwnSlots.length };
  }

  /** Projects all streams concurrently, so that an adapter can share round trips, but starts only a few in an iteration of the event loop. */
  async #project(commits: readonly Commit[]): Promise<void> {
    // Part of the page, so that the checkpoint passes no key that is missing in the index.
    const indexing = this.projection.addKeyOwners(keyOwnersIn(commits));
    // Failures are reported below, possibly in a later iteration.
    indexing.catch(() => undefined);
    const projecting: Promise<unknown>[] = [indexing];
    for (const [stream, [first, ...others]] of Map.groupBy(commits, ({ stream }) => stream)) {
      const ref = first && streamRef(stream, first.partition);
      if (!ref) continue;
      const project = this.projection.project(ref, [first, ...others]);
      project.catch(() => undefined);
      projecting.push(project);
      if (projecting.length % STREAMS_PER_ITERATION === 0) await setImmediate();
    }
    const projected = await Promise.allSettled(projecting);
    const failed = projected.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Only the process that holds the first slot does it. */
  async #retryParked(): Promise<void> {
    if (!this.#feed.holds(0) || performance.now() - this.#retriedParkedAt < RETRY_PARKED_INTERVAL) return;
    this.#retriedParkedAt = performance.now();
    await this.projection.retryParked(streamRef);
  }
}
