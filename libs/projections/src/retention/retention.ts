import { FeedReader, type Commit, type CommitFeed, type FeedLeases, type Handled } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessions } from '../read-model.js';
import { RETENTION } from './readers-behind.js';
import { SessionCompaction, type CompactedCount, type CompactionParts } from './session-compaction.js';

/** Contains the schema number: a raised number makes a new reader, which removes old sessions from the new documents. */
export const retentionName = `${RETENTION}${sessions.name}_${sessions.schema}`;

const HOUR = 3_600_000;
/** Nothing is urgent here, so leases are long, in milliseconds. */
const LEASE = 60_000;
/** Leaves time for other work, in milliseconds. */
const PAUSE_BETWEEN_PAGES = 50;

/** Times in milliseconds. */
export type RetentionOptions = Readonly<{
  /** Called with the counts of a page on which something was compacted. */
  onCompacted(count: CompactedCount): void;
  /** Reports each failure once while it lasts. */
  onError(error: unknown): void;
  /** Tests shorten it. */
  leaseMilliseconds?: number;
}>;

/**
 * Compacts sessions that expired long ago, for as long as the process runs. As a reader of the feed with its own checkpoints it moves
 * through each slot up to the first session that must stay, and checks that one again every hour. It works on one slot at a time.
 */
export class Retention {
  readonly #feed: FeedReader;
  #begins: NodeJS.Timeout | undefined;
  #started = false;

  constructor(
    private readonly parts: CompactionParts,
    feed: CommitFeed,
    leases: FeedLeases,
    private readonly options: RetentionOptions,
  ) {
    this.#feed = new FeedReader(feed, leases, {
      reader: retentionName,
      owner: `${hostname()}:${process.pid}:${randomUUID()}`,
      leaseMilliseconds: options.leaseMilliseconds ?? LEASE,
      listens: false,
      parallelSlots: 1,
      handle: (commits, held, { slot }) => this.#compact(slot, commits, held),
      onError: (error) => options.onError(error),
    });
  }

  /** Starts after a random delay and runs until `stop`. */
  start(): void {
    this.#begins = setTimeout(
      () => {
        this.#started = true;
        this.#feed.start();
      },
      jittered(this.#pause / 10),
    ).unref();
  }

  /** Finishes the current page and releases the slots. */
  async stop(): Promise<void> {
    clearTimeout(this.#begins);
    if (this.#started) await this.#feed.stop();
  }

  async #compact(slot: number, page: readonly Commit[], held: () => boolean): Promise<Handled> {
    const compaction = new SessionCompaction(this.parts);
    const { upTo } = await compaction.compactPage(slot, page, held);
    if (compaction.count.sessions > 0) this.options.onCompacted(compaction.count);
    await sleep(PAUSE_BETWEEN_PAGES);
    return { upTo, againAfter: jittered(this.#pause) };
  }

  /** One hour, or less if sessions are kept for less than four days. */
  get #pause(): number {
    return Math.min(HOUR, (this.parts.sessionDays * 24 * HOUR) / 100);
  }
}

/** Spreads the work of processes that started together. */
const jittered = (milliseconds: number) => milliseconds * (0.5 + Math.random());
