import { FeedReader, type Commit, type CommitFeed, type FeedLeases, type Handled } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessions } from '../read-model.js';
import { RETENTION } from './readers-behind.js';
import { SessionCompaction, type CompactedCount, type CompactionParts } from './session-compaction.js';

/** A model of a raised schema number makes a new reader, which removes what the one before left among the new documents. */
export const retentionName = `${RETENTION}${sessions.name}_${sessions.schema}`;

const HOUR = 3_600_000;
/** Nothing is urgent here: leases are renewed seldom. */
const LEASE = 60_000;
/** What is left to other work between two pages. */
const BREATH = 50;

/** Times in milliseconds. */
export type RetentionOptions = Readonly<{
  /** Told of what was compacted on a page. */
  onCompacted(count: CompactedCount): void;
  /** Told once of what goes wrong for as long as it lasts. */
  onError(error: unknown): void;
  leaseMilliseconds?: number;
}>;

/**
 * Compacts sessions that expired long ago, for as long as the process runs. A reader of the feed with checkpoints of its own: it goes
 * over each slot from its oldest commit on up to the first that must stay, and looks at that again every hour. Of a page it holds 500
 * commits, and works on one slot at a time.
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
      parallelSlots: 1,
      handle: (commits, held, { slot }) => this.#compact(slot, commits, held),
      onError: (error) => options.onError(error),
    });
  }

  /** Begins after a while, at a moment of its own in each process, and goes on until `stop`. */
  start(): void {
    this.#begins = setTimeout(
      () => {
        this.#started = true;
        this.#feed.start();
      },
      jittered(this.#pause / 10),
    ).unref();
  }

  /** Finishes the page at hand and leaves the slots to others. */
  async stop(): Promise<void> {
    clearTimeout(this.#begins);
    if (this.#started) await this.#feed.stop();
  }

  async #compact(slot: number, page: readonly Commit[], held: () => boolean): Promise<Handled> {
    const compaction = new SessionCompaction(this.parts);
    const { upTo } = await compaction.compactPage(slot, page, held);
    if (compaction.count.sessions > 0) this.options.onCompacted(compaction.count);
    await sleep(BREATH);
    return { upTo, againAfter: jittered(this.#pause) };
  }

  /** An hour, and less where sessions are kept for less than four days. */
  get #pause(): number {
    return Math.min(HOUR, (this.parts.sessionDays * 24 * HOUR) / 100);
  }
}

/** So that processes that were started together do not work together. */
const jittered = (milliseconds: number) => milliseconds * (0.5 + Math.random());
