import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import type { Connection, mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { changesPipeline, entriesPipeline, NEVER, ranksIn, secondsBefore } from './list-changes.js';
import { addRanks, noRanks, type Ranks } from './list-ranks.js';

/** The ranks at a past time that can no longer change. `next`: a later such time, to advance to. */
type Settled = Readonly<{ at: mongo.Timestamp; ranks: Ranks; next: mongo.Timestamp; countedAt: number }>;
type Answer = Readonly<{ documents: mongo.Document[]; at: mongo.Timestamp }>;

/**
 * How much later than its timestamp a write may become visible, in seconds. The server takes the timestamp at the start of the command, and
 * the client abandons it after 5.
 */
const SETTLES_AFTER = 60;
/** When to count the list again, in case other programs changed the collection, in milliseconds. */
const COUNTED_FOR = 10 * 60_000;
/** Pause after a failed count, in milliseconds. */
const FAILURE_PAUSE = 10_000;
/** How long to wait for the first count, in milliseconds. A million entries take about that long. */
const FIRST_COUNT_TIMEOUT = 2_000;
const MOST_RANGES = 1_000_000;

/**
 * Returns the exact number of entries of a list, by ranges of sort keys, without counting them each time (decision 23). It caches the ranks
 * of a minute ago, which cannot change any more, and queries the changes since then. Every document stores the times at which it joined
 * and left the list. So nothing is written twice, and no crash makes the count wrong.
 */
export class ListCounter {
  #settled: Settled | undefined;
  #counting: Promise<void> | undefined;
  #firstCount: Promise<void> | undefined;
  #pausedUntil = 0;
  readonly #batcher = new Batcher<void, Ranks | undefined>((calls) => this.#answer(calls), Infinity, isOutage);

  constructor(
    private readonly connection: Connection,
    private readonly collection: string,
    /** Seconds. Tests shorten it. */
    private readonly settlesAfter = SETTLES_AFTER,
  ) {}

  /** Returns undefined if the ranks are unknown, mostly while a long list is counted for the first time. */
  async ranks(): Promise<Ranks | undefined> {
    this.#countIfDue();
    if (!this.#settled) await this.#firstCount;
    return this.#batcher.submit();
  }

  /** Resolves when no count is in progress. */
  async idle(): Promise<void> {
    await this.#counting;
  }

  async #answer(calls: readonly Call<void, Ranks | undefined>[]): Promise<void> {
    const ranks = this.#settled && (await this.#changedSince(this.#settled));
    for (const { resolve } of calls) resolve(ranks);
  }

  async #changedSince(settled: Settled): Promise<Ranks | undefined> {
    try {
      const { documents, at } = await this.#query(changesPipeline(settled));
      if (this.#settled === settled) this.#settled = advance(settled, documents, secondsBefore(at, this.settlesAfter));
      return addRanks(settled.ranks, ranksIn(documents, 'untilNow'));
    } catch (error) {
      if (isOutage(error)) throw error;
      // Snapshot reads fail right after an index was created.
      return undefined;
    }
  }

  #countIfDue(): void {
    const now = performance.now();
    const due = !this.#settled || now > this.#settled.countedAt + COUNTED_FOR;
    if (!due || this.#counting || now < this.#pausedUntil) return;
    this.#counting = this.#count()
      .catch(() => {
        // Lists work without it, and report an outage themselves.
        this.#pausedUntil = performance.now() + FAILURE_PAUSE;
      })
      .finally(() => (this.#counting = undefined));
    this.#firstCount ??= Promise.race([this.#counting, sleep(FIRST_COUNT_TIMEOUT, undefined, { ref: false })]);
  }

  /** Counts all entries in one snapshot, then subtracts the changes of the minute before it. */
  async #count(): Promise<void> {
    const { at: now } = await this.#query(changesPipeline({ at: NEVER, next: NEVER }));
    const at = secondsBefore(now, this.settlesAfter);
    let ranks = noRanks;
    for (let after: number | undefined = -Infinity; after !== undefined;) {
      const { documents } = await this.#query(entriesPipeline(after), now);
      ranks = addRanks(ranks, ranksIn(documents, 'entries'));
      after = documents.length === 0 ? undefined : Math.max(...documents.map(({ last }) => Number(last)));
    }
    const { documents: changes } = await this.#query(changesPipeline({ at, next: at }), now);
    const before = ranksIn(changes, 'untilNow').map(([range, change]) => [range, -change] as const);
    this.#settled = { at, ranks: addRanks(ranks, before), next: at, countedAt: performance.now() };
  }

  /** Reads a snapshot that a majority has; the answer contains its time. */
  async #query(pipeline: mongo.Document[], atClusterTime?: mongo.Timestamp): Promise<Answer> {
    const { connection, collection: aggregate } = this;
    const readConcern = { level: 'snapshot', ...(atClusterTime ? { atClusterTime } : {}) };
    const command = { aggregate, pipeline, cursor: { batchSize: MOST_RANGES }, readConcern };
    const { cursor } = await reaching(() => connection.getClient().db(connection.name).command(command));
    if (Number(cursor.id) !== 0) throw new Error(`the list of ${aggregate} has too many ranges of sort keys`);
    return { documents: cursor.firstBatch, at: cursor.atClusterTime };
  }
}

/** `latest`: the latest time that can no longer change, as of the snapshot of the documents. */
function advance(
  { at, ranks, next, countedAt }: Settled,
  documents: mongo.Document[],
  latest: mongo.Timestamp,
): Settled {
  // The snapshot of a new primary may be older than the previous one.
  if (latest.lessThan(next)) return { at, ranks, next, countedAt };
  return { at: next, ranks: addRanks(ranks, ranksIn(documents, 'untilNext')), next: latest, countedAt };
}
