import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import type { Connection, mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { changesPipeline, entriesPipeline, NEVER, ranksIn, secondsBefore } from './list-changes.js';
import { addRanks, noRanks, type Ranks } from './list-ranks.js';

/** The list as it was at a time in the past that cannot change any more; `next`: a later such time, for which it shall be known. */
type Settled = Readonly<{ at: mongo.Timestamp; ranks: Ranks; next: mongo.Timestamp; countedAt: number }>;
type Answer = Readonly<{ documents: mongo.Document[]; at: mongo.Timestamp }>;

/**
 * A write may become visible so much later than the time that it carries, in seconds: the time is taken when the server begins with the
 * command, and the process that sent it gives up after 5.
 */
const SETTLES_AFTER = 60;
/** After so long the list is counted anew, should other hands than ours have changed the collection; in milliseconds. */
const COUNTED_FOR = 10 * 60_000;
/** A count that failed is not tried again at once, in milliseconds. */
const REST = 10_000;
/** How long a first count is waited for, in milliseconds: of a million entries it takes about that long. */
const WORTH_WAITING = 2_000;
const MOST_RANGES = 1_000_000;

/**
 * Knows at its true state how many entries a list has, in all and by ranges of places, without counting them each time (docs/decisions).
 * What the list was a minute ago is kept in memory and cannot change; each question asks the server for the changes since then. Every
 * document carries the times at which it came into the list and left it, so nothing is written twice and no crash can make it wrong.
 */
export class ListCounter {
  #settled: Settled | undefined;
  #counting: Promise<void> | undefined;
  #firstCount: Promise<void> | undefined;
  #restUntil = 0;
  readonly #batcher = new Batcher<void, Ranks | undefined>((calls) => this.#answer(calls), Infinity, isOutage);

  constructor(
    private readonly connection: Connection,
    private readonly collection: string,
    private readonly settlesAfter = SETTLES_AFTER,
  ) {}

  /** Undefined as long as that is not known, above all while a long list is counted for the first time. */
  async ranks(): Promise<Ranks | undefined> {
    this.#countIfDue();
    if (!this.#settled) await this.#firstCount;
    return this.#batcher.submit();
  }

  /** Waits for a count that was begun. */
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
      // There is no reading as of one moment just after an index was made.
      return undefined;
    }
  }

  #countIfDue(): void {
    const now = performance.now();
    const due = !this.#settled || now > this.#settled.countedAt + COUNTED_FOR;
    if (!due || this.#counting || now < this.#restUntil) return;
    this.#counting = this.#count()
      .catch(() => {
        // Lists are answered without it; they say themselves when the server is away.
        this.#restUntil = performance.now() + REST;
      })
      .finally(() => (this.#counting = undefined));
    this.#firstCount ??= Promise.race([this.#counting, sleep(WORTH_WAITING, undefined, { ref: false })]);
  }

  /** Counts all entries as of one moment, then takes back what changed in the minute before it. */
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

  /** Everything in one answer is as of one moment, which a majority has and which the answer names. */
  async #query(pipeline: mongo.Document[], atClusterTime?: mongo.Timestamp): Promise<Answer> {
    const { connection, collection: aggregate } = this;
    const readConcern = { level: 'snapshot', ...(atClusterTime ? { atClusterTime } : {}) };
    const command = { aggregate, pipeline, cursor: { batchSize: MOST_RANGES }, readConcern };
    const { cursor } = await reaching(() => connection.getClient().db(connection.name).command(command));
    if (Number(cursor.id) !== 0) throw new Error(`the list of ${aggregate} has too many ranges of places`);
    return { documents: cursor.firstBatch, at: cursor.atClusterTime };
  }
}

/** `latest`: the latest time that is settled in the moment of which the documents tell. */
function advance(
  { at, ranks, next, countedAt }: Settled,
  documents: mongo.Document[],
  latest: mongo.Timestamp,
): Settled {
  // A new primary may know of less than the one that answered before; then nothing is settled yet.
  if (latest.lessThan(next)) return { at, ranks, next, countedAt };
  return { at: next, ranks: addRanks(ranks, ranksIn(documents, 'untilNext')), next: latest, countedAt };
}
