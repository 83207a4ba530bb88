import { Batcher, type Call } from '@keyfold/concurrency';
import type { mongo } from 'mongoose';
import type { AppendCounts } from '../append-counts.js';
import type { NewCommit } from '../commit.js';
import { Contended, isOutage, StoreUnavailable } from '../event-store.errors.js';
import type { Appended } from '../event-store.js';
import { judgeAppends } from './append-judge.js';
import { COMMITS, placeOf, slotOf, toCommit, type CommitDocument } from './commit.model.js';
import { insertBehindLast } from './insert-behind-last.js';
import { isDuplicate, isPlaceTaken, outcomesOf, type InsertOutcome } from './insert-outcome.js';
import type { KnownVersions } from './known-versions.js';
import { reaching } from './mongo-connection.js';
import { SlotHeads } from './slot-heads.js';

const BATCH = 256;
/** How long a commit is tried that the database refuses although nothing but its place stands against it, in milliseconds. */
const PATIENCE = 5_000;
/** Tries of a commit of which nobody knows what became. */
const UNKNOWN_TRIES = 2;
/** Batches without a collision after which other processes are believed to leave the slots to this one. */
const CALM_AFTER = 50;

/** One caller's commit, when it first lost its place, the tries that nobody answered, and whether one of its tries may have stored it. */
type Try = { readonly commit: NewCommit; lostAt?: number; unanswered: number; sent: boolean };
type Pending = Call<Try, Appended>;

/**
 * Stores commits in batches of one round trip. No commit ever leaves a free place before another one (docs/decisions). A batch is
 * ordered behind heads that this process knows, and what stands behind a refused commit is not stored but sent again. While other
 * processes append to the same slots that would be most of it: then the server finds the places (`insertBehindLast`).
 */
export class MongoAppender {
  readonly #batcher = new Batcher<Try, Appended>((pendings) => this.#appendSome(pendings), BATCH, isOutage);
  readonly #commits: mongo.Collection<CommitDocument>;
  readonly #heads: SlotHeads;
  /** Batches for which others are still believed to append to the same slots. */
  #rivalry = 0;

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

  /** Waits for the appends that were accepted. */
  idle(): Promise<void> {
    return this.#batcher.idle();
  }

  /** Answers those that must travel again. Of a stream one at a time: the next is decided on one that may be refused. */
  async #appendSome(pendings: readonly Pending[]): Promise<Pending[]> {
    const round = this.#rivalry > 0 ? firstOfEach(pendings, slotOfPending) : firstOfEach(pendings, streamOf);
    const done = new Set(round);
    for (const pending of await this.#appendRound(round)) done.delete(pending);
    return pendings.filter((pending) => !done.has(pending));
  }

  /** The unique index would take a version behind a gap, so the one before must be known. */
  async #appendRound(round: readonly Pending[]): Promise<Pending[]> {
    const unsure = new Set(round.filter(({ item }) => !this.versions.hasBefore(item.commit)));
    const open = new Set(await this.#settleJudged([...unsure]));
    const rest = round.filter((pending) => !unsure.has(pending) || open.has(pending));
    return rest.length === 0 ? [] : this.#insert(rest);
  }

  #insert(round: readonly Pending[]): Promise<Pending[]> {
    this.counts.batches.observe(round.length);
    return this.#rivalry > 0 ? this.#insertAmongRivals(round) : this.#insertInOrder(round);
  }

  async #insertInOrder(round: readonly Pending[]): Promise<Pending[]> {
    const documents = await this.#placed(round);
    try {
      await reaching(() => this.#commits.insertMany(documents, { ordered: true }));
      const allStored = round.map((): InsertOutcome => 'stored');
      return this.#settle(round, documents, allStored);
    } catch (error) {
      const outcomes = outcomesOf(error, round.length);
      return outcomes ? this.#settle(round, documents, outcomes) : this.#afterUnknown(round, error);
    }
  }

  async #insertAmongRivals(round: readonly Pending[]): Promise<Pending[]> {
    this.#rivalry -= 1;
    const commits = round.map(({ item }) => item.commit);
    const atLeast = await this.#heads.atLeast(round.map(slotOfPending));
    try {
      await reaching(() => insertBehindLast(this.database, commits, atLeast));
    } catch (error) {
      if (!isDuplicate(error)) return this.#afterUnknown(round, error);
      if (isPlaceTaken(error.message)) this.#rivalry = CALM_AFTER;
    }
    const open = await this.#settleStored(round);
    return (await this.#settleJudged(open)).filter(hasPatience);
  }

  /** Answers the callers whose commits are found; where they are is not known before. */
  async #settleStored(round: readonly Pending[]): Promise<Pending[]> {
    const ids = round.map(({ item }) => item.commit.command.id);
    const found = await reaching(() => this.#commits.find({ 'command.id': { $in: ids } }).toArray());
    const byCommand = new Map(found.map((document) => [document.command.id, document]));
    return round.filter(({ item, resolve }) => {
      item.sent = true;
      const document = byCommand.get(item.commit.command.id);
      if (!document || !isOurs(item, document)) return true;
      this.#acknowledge(document, resolve);
      return false;
    });
  }

  #acknowledge(document: CommitDocument, resolve: Pending['resolve']): void {
    const commit = toCommit(document);
    this.#heads.reached(document._id);
    this.versions.seen(commit);
    resolve({ outcome: 'appended', commit });
  }

  /** Commits with places behind the heads of their slots. */
  async #placed(round: readonly Pending[]): Promise<CommitDocument[]> {
    const slots = round.map(slotOfPending);
    const heads = await this.#heads.of(slots);
    return round.map(({ item }, index) => {
      const slot = slots[index]!;
      const ordinal = heads.get(slot)! + 1;
      heads.set(slot, ordinal);
      return { _id: placeOf(slot, ordinal), ...item.commit };
    });
  }

  async #settle(
    round: readonly Pending[],
    documents: readonly CommitDocument[],
    outcomes: readonly InsertOutcome[],
  ): Promise<Pending[]> {
    const those = (wanted: InsertOutcome) => round.filter((_, index) => outcomes[index] === wanted);
    documents.forEach((document, index) => {
      if (outcomes[index] === 'stored') this.#acknowledge(document, round[index]!.resolve);
    });
    if (outcomes.includes('collided')) {
      this.#rivalry = CALM_AFTER;
      this.#heads.forget();
    }
    const refused = those('refused');
    // One refused commit that an unanswered try stored is seldom the only one.
    const judged = refused.length > 0 ? [...refused, ...those('untried').filter(({ item }) => item.sent)] : [];
    const open = await this.#settleJudged(judged);
    const untried = those('untried').filter((pending) => !judged.includes(pending));
    return [...[...those('collided'), ...open].filter(hasPatience), ...untried];
  }

  /** Answers the callers whose commits are stored or refused; the others are tried again. */
  async #settleJudged(asked: readonly Pending[]): Promise<Pending[]> {
    if (asked.length === 0) return [];
    const commits = asked.map(({ item }) => item.commit);
    const verdicts = await judgeAppends(this.#commits, commits, this.versions);
    return asked.filter(({ item, resolve, reject }, index) => {
      const verdict = verdicts[index];
      if (verdict instanceof Error) reject(verdict);
      else if (verdict) resolve(isOurs(item, verdict.commit) ? { ...verdict, outcome: 'appended' } : verdict);
      return !verdict;
    });
  }

  /**
   * After an outage the same commits are sent again, and not looked for before: a new primary shows what it has to readers a moment
   * later than to unique indexes.
   */
  async #afterUnknown(round: readonly Pending[], error: unknown): Promise<Pending[]> {
    this.#heads.forget();
    for (const { item } of round) item.sent = true;
    if (!(error instanceof StoreUnavailable)) return this.#insertApart(round, error);
    for (const { item } of round) item.unanswered += 1;
    // Thrown rather than told one by one, so that all who wait hear of the outage too.
    if (round.some(({ item }) => item.unanswered >= UNKNOWN_TRIES)) throw error;
    return [...round];
  }

  /** One commit that the driver or the server will not take, too large for instance, must not fail the others. */
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

const streamOf = ({ item }: Pending) => item.commit.stream;
const slotOfPending = ({ item }: Pending) => slotOf(item.commit.partition);

function firstOfEach(pendings: readonly Pending[], keyOf: (pending: Pending) => string | number): Pending[] {
  const first = new Map<string | number, Pending>();
  for (const pending of pendings) if (!first.has(keyOf(pending))) first.set(keyOf(pending), pending);
  return [...first.values()];
}

/** Whether one of the tries stored it. An earlier request with the same command id had another time and another correlation. */
const isOurs = (
  { commit: { at, command, correlation }, sent }: Try,
  found: Pick<NewCommit, 'at' | 'command' | 'correlation'>,
) => sent && found.command.hash === command.hash && found.at === at && found.correlation === correlation;

function hasPatience({ item, reject }: Pending): boolean {
  item.lostAt ??= performance.now();
  const again = performance.now() - item.lostAt < PATIENCE;
  if (!again) reject(new Contended(`commit ${item.commit.command.id} found no place for ${PATIENCE} ms`));
  return again;
}
