import { Batcher, type Call } from '@keyfold/concurrency';
import type { mongo } from 'mongoose';
import type { AppendCounts } from '../../append-counts.js';
import type { NewCommit } from '../../commit.js';
import { Contended, isOutage, StoreUnavailable } from '../../event-store.errors.js';
import type { Appended } from '../../event-store.js';
import { COMMITS, feedKeyOf, slotOf, type CommitDocument } from '../commit.model.js';
import { reaching } from '../mongo-connection.js';
import type { KnownVersions } from '../stream-tails.js';
import {
  judgeAppends,
  insertBehindLast,
  isDuplicate,
  isPositionTaken,
  outcomesOf,
  type InsertOutcome,
} from './append-batch.js';
import { SlotHeads } from './slot-heads.js';

const BATCH = 256;
/** How long a commit is retried whose position other processes take every time, in milliseconds. */
const CONTENTION_TIMEOUT = 5_000;
/** Attempts with an unknown outcome before the caller gets the error. */
const UNKNOWN_ATTEMPTS = 2;
/** Number of batches without a collision after which this process counts as the only one that appends. */
const CONTENTION_BATCHES = 50;

/**
 * A caller's commit. `lostAt`: when it first lost its position. `unanswered`: attempts with an unknown outcome. `sent`: an attempt may have
 * stored it.
 */
type Attempt = { readonly commit: NewCommit; lostAt?: number; unanswered: number; sent: boolean };
type Pending = Call<Attempt, Appended>;

/**
 * Stores commits in batches of one round trip. No commit ever leaves a free position before it (decision 21). A batch is ordered and
 * starts at the heads that this process knows. Commits after a refused one are not stored and sent again. While other processes append
 * to the same slots this would concern most commits, so the server assigns the positions instead (`insertBehindLast`).
 */
export class MongoAppender {
  readonly #batcher = new Batcher<Attempt, Appended>((pendings) => this.#appendSome(pendings), BATCH, isOutage);
  readonly #commits: mongo.Collection<CommitDocument>;
  readonly #heads: SlotHeads;
  /** Number of batches for which other processes still count as appending to the same slots. */
  #contended = 0;

  constructor(
    private readonly database: mongo.Db,
    private readonly versions: KnownVersions,
    private readonly counts: AppendCounts,
  ) {
    this.#commits = database.collection(COMMITS);
    this.#heads = new SlotHeads(this.#commits);
  }

  append(commit: NewCommit): Promise<Appended> {
    return this.#batcher.submit({ commit, unanswered: 0, sent: false });
  }

  idle(): Promise<void> {
    return this.#batcher.idle();
  }

  /** Returns the calls to send again. At most one commit of a stream per round: the next one depends on it. */
  async #appendSome(pendings: readonly Pending[]): Promise<Pending[]> {
    const round = this.#contended > 0 ? firstOfEach(pendings, slotOfPending) : firstOfEach(pendings, streamOfPending);
    const done = new Set(round);
    for (const pending of await this.#appendRound(round)) done.delete(pending);
    return pendings.filter((pending) => !done.has(pending));
  }

  /** The unique index accepts a version after a gap, so the preceding version must be known. */
  async #appendRound(round: readonly Pending[]): Promise<Pending[]> {
    const unsure = new Set(round.filter(({ item }) => !this.versions.hasBefore(item.commit)));
    const open = new Set(await this.#settleJudged([...unsure]));
    const rest = round.filter((pending) => !unsure.has(pending) || open.has(pending));
    return rest.length === 0 ? [] : this.#insert(rest);
  }

  #insert(round: readonly Pending[]): Promise<Pending[]> {
    this.counts.batches.observe(round.length);
    return this.#contended > 0 ? this.#insertContended(round) : this.#insertInOrder(round);
  }

  async #insertInOrder(round: readonly Pending[]): Promise<Pending[]> {
    const documents = await this.#withKeys(round);
    try {
      await reaching(() => this.#commits.insertMany(documents, { ordered: true }));
      const allStored = round.map((): InsertOutcome => 'stored');
      return this.#settle(round, documents, allStored);
    } catch (error) {
      const outcomes = outcomesOf(error, round.length);
      return outcomes ? this.#settle(round, documents, outcomes) : this.#afterUnknown(round, error);
    }
  }

  async #insertContended(round: readonly Pending[]): Promise<Pending[]> {
    this.#contended -= 1;
    const commits = round.map(({ item }) => item.commit);
    const atLeast = await this.#heads.atLeast(round.map(slotOfPending));
    try {
      await reaching(() => insertBehindLast(this.database, commits, atLeast));
    } catch (error) {
      if (!isDuplicate(error)) return this.#afterUnknown(round, error);
      if (isPositionTaken(error.message)) this.#contended = CONTENTION_BATCHES;
      const open = await this.#settleStored(round);
      return (await this.#settleJudged(open)).filter(mayRetry);
    }
    this.#heads.passed(round.length);
    for (const pending of round) this.#acknowledge(pending);
    return [];
  }

  /** Resolves the calls whose commits are found, after a refusal that does not name the commits. */
  async #settleStored(round: readonly Pending[]): Promise<Pending[]> {
    const ids = round.map(({ item }) => item.commit.command.id);
    const options = { projection: { command: 1, at: 1, correlation: 1 } };
    const found = await reaching(() => this.#commits.find({ 'command.id': { $in: ids } }, options).toArray());
    const byCommand = new Map(found.map((document) => [document.command.id, document]));
    return round.filter((pending) => {
      const { item } = pending;
      item.sent = true;
      const document = byCommand.get(item.commit.command.id);
      if (!document || !isOurs(item, document)) return true;
      this.#heads.reached(document._id);
      this.#acknowledge(pending);
      return false;
    });
  }

  #acknowledge({ item: { commit }, resolve }: Pending): void {
    this.versions.seen(commit);
    resolve({ outcome: 'appended', commit });
  }

  /** Assigns the commits the next positions of their slots. */
  async #withKeys(round: readonly Pending[]): Promise<CommitDocument[]> {
    const slots = round.map(slotOfPending);
    const heads = await this.#heads.of(slots);
    return round.map(({ item }, index) => {
      const slot = slots[index]!;
      const position = heads.get(slot)! + 1;
      heads.set(slot, position);
      return { _id: feedKeyOf(slot, position), ...item.commit };
    });
  }

  async #settle(
    round: readonly Pending[],
    documents: readonly CommitDocument[],
    outcomes: readonly InsertOutcome[],
  ): Promise<Pending[]> {
    const those = (wanted: InsertOutcome) => round.filter((_, index) => outcomes[index] === wanted);
    documents.forEach((document, index) => {
      if (outcomes[index] !== 'stored') return;
      this.#heads.reached(document._id);
      this.#acknowledge(round[index]!);
    });
    if (outcomes.includes('collided')) {
      this.#contended = CONTENTION_BATCHES;
      this.#heads.forget();
    }
    const refused = those('refused');
    // If an unanswered attempt stored the refused commit, it probably stored others as well.
    const judged = refused.length > 0 ? [...refused, ...those('untried').filter(({ item }) => item.sent)] : [];
    const open = await this.#settleJudged(judged);
    const untried = those('untried').filter((pending) => !judged.includes(pending));
    return [...[...those('collided'), ...open].filter(mayRetry), ...untried];
  }

  /** Settles the calls whose commits are stored or refused. Returns the others, which are retried. */
  async #settleJudged(asked: readonly Pending[]): Promise<Pending[]> {
    if (asked.length === 0) return [];
    const commits = asked.map(({ item }) => item.commit);
    const judgements = await judgeAppends(this.#commits, commits, this.versions);
    return asked.filter(({ item, resolve, reject }, index) => {
      const judgement = judgements[index];
      if (judgement instanceof Error) reject(judgement);
      else if (judgement) resolve(isOurs(item, judgement.commit) ? { ...judgement, outcome: 'appended' } : judgement);
      return !judgement;
    });
  }

  /**
   * After an outage the same commits are sent again without a query: on a new primary, unique indexes see acknowledged commits a moment
   * earlier than readers do.
   */
  async #afterUnknown(round: readonly Pending[], error: unknown): Promise<Pending[]> {
    this.#heads.forget();
    for (const { item } of round) item.sent = true;
    if (!(error instanceof StoreUnavailable)) return this.#insertApart(round, error);
    for (const { item } of round) item.unanswered += 1;
    // Thrown, so that the batcher rejects the queued calls too.
    if (round.some(({ item }) => item.unanswered >= UNKNOWN_ATTEMPTS)) throw error;
    return [...round];
  }

  /** Splits the batch: a commit that the driver or the server rejects, such as one that is too large, must not fail the others. */
  async #insertApart(round: readonly Pending[], error: unknown): Promise<Pending[]> {
    const [only, ...others] = round;
    if (only && others.length === 0) {
      only.reject(error);
      return [];
    }
    const middle = Math.ceil(round.length / 2);
    return [...(await this.#insert(round.slice(0, middle))), ...(await this.#insert(round.slice(middle)))];
  }
}

const streamOfPending = ({ item }: Pending) => item.commit.stream;
const slotOfPending = ({ item }: Pending) => slotOf(item.commit.partition);

function firstOfEach(pendings: readonly Pending[], keyOf: (pending: Pending) => string | number): Pending[] {
  const first = new Map<string | number, Pending>();
  for (const pending of pendings) if (!first.has(keyOf(pending))) first.set(keyOf(pending), pending);
  return [...first.values()];
}

/** Whether an attempt of this call stored the commit. An earlier request with the same command id has another time and correlation. */
const isOurs = (
  { commit: { at, command, correlation }, sent }: Attempt,
  found: Pick<NewCommit, 'at' | 'command' | 'correlation'>,
) => sent && found.command.hash === command.hash && found.at === at && found.correlation === correlation;

function mayRetry({ item, reject }: Pending): boolean {
  item.lostAt ??= performance.now();
  const again = performance.now() - item.lostAt < CONTENTION_TIMEOUT;
  if (!again)
    reject(
      new Contended(
        `commit ${item.commit.command.id} lost its position to other processes for ${CONTENTION_TIMEOUT} ms`,
      ),
    );
  return again;
}
