import type { Connection, mongo } from 'mongoose';
import type { Commit, NewCommit } from '../commit.js';
import { EventStore, type Appended, type FoundHold, type StreamPoint } from '../event-store.js';
import { COMMITS, ordinalOfPlace, placeOf, SLOTS, slotOfPlace, toCommit, type CommitDocument } from './commit.model.js';
import { Doorbell } from './doorbell.js';
import { KnownVersions } from './known-versions.js';
import { MongoAppender } from './mongo-appender.js';
import { collectionOf, reaching } from './mongo-connection.js';
import { StreamTails } from './stream-tails.js';
import { voidCommit } from './void-commit.js';

/** Above every key with the prefix in byte order. */
const LAST_LETTER = '\u{10FFFF}';
const PLACES_READ = 1_000;

/** The event store of any number of processes in a MongoDB replica set; the connection must have the `connectOptions`. */
export class MongoEventStore extends EventStore {
  readonly slots = SLOTS;
  readonly #commits: mongo.Collection<CommitDocument>;
  readonly #appender: MongoAppender;
  readonly #tails: StreamTails;
  readonly #doorbell: Doorbell;

  constructor(connection: Connection) {
    super();
    this.#commits = collectionOf<CommitDocument>(connection, COMMITS);
    const versions = new KnownVersions();
    this.#appender = new MongoAppender(connection.getClient().db(connection.name), versions);
    this.#tails = new StreamTails(this.#commits, versions);
    this.#doorbell = new Doorbell(this.#commits);
  }

  append(commit: NewCommit): Promise<Appended> {
    return this.#appender.append(commit);
  }

  async readStreams(points: readonly StreamPoint[]): Promise<Commit[]> {
    return points.length === 0 ? [] : this.#tails.after(points);
  }

  async findCommand(id: string): Promise<Commit | undefined> {
    const found = await reaching(() => this.#commits.findOne({ 'command.id': id }));
    return found ? toCommit(found) : undefined;
  }

  async findLastHold(prefix: string): Promise<FoundHold | undefined> {
    const within = { $gte: prefix, $lt: `${prefix}${LAST_LETTER}` };
    const found = await reaching(() =>
      this.#commits.find({ holds: { $elemMatch: within } }, { projection: { stream: 1, holds: 1 } }).toArray(),
    );
    return found
      .flatMap(({ stream, holds = [] }) => holds.map((key) => ({ key, stream })))
      .filter(({ key }) => key.startsWith(prefix))
      .reduce<FoundHold | undefined>((last, hold) => (last && isBefore(hold.key, last.key) ? last : hold), undefined);
  }

  async readFeed(slot: number, after: number, limit: number): Promise<Commit[]> {
    const range = { $gt: placeOf(slot, after), $lt: placeOf(slot + 1, 0) };
    const found = await reaching(() => this.#commits.find({ _id: range }, { sort: { _id: 1 }, limit }).toArray());
    const hole = found.findIndex(({ _id }, index) => ordinalOfPlace(_id) !== after + 1 + index);
    return (hole === -1 ? found : found.slice(0, hole)).map(toCommit);
  }

  async slotsWithNews(positions: ReadonlyMap<number, number>): Promise<number[]> {
    const next = [...positions].map(([slot, position]) => placeOf(slot, position + 1));
    const nextAreThere = await this.#slotsOf({ _id: { $in: next } });
    if (nextAreThere.length > 0) return nextAreThere;
    // Only when nothing can be read on: does something lie behind a hole?
    const ranges = [...positions].map(([slot, position]) => ({
      _id: { $gt: placeOf(slot, position), $lt: placeOf(slot + 1, 0) },
    }));
    return ranges.length === 0 ? [] : this.#slotsOf({ $or: ranges });
  }

  async closeHoles(slot: number, after: number): Promise<number> {
    const range = { $gt: placeOf(slot, after), $lt: placeOf(slot + 1, 0) };
    const options = { sort: { _id: 1 as const }, projection: { _id: 1 }, limit: PLACES_READ };
    const places = await reaching(() => this.#commits.find({ _id: range }, options).toArray());
    const taken = new Set(places.map(({ _id }) => ordinalOfPlace(_id)));
    const last = Math.max(after, ...taken);
    const voids: CommitDocument[] = [];
    for (let ordinal = after + 1; ordinal < last; ordinal++)
      if (!taken.has(ordinal)) voids.push(voidCommit(slot, ordinal));
    return voids.length === 0 ? 0 : this.#closeWith(voids);
  }

  onAppended(ring: () => void): () => void {
    return this.#doorbell.onRing(ring);
  }

  async close(): Promise<void> {
    await Promise.all([this.#appender.idle(), this.#doorbell.close()]);
  }

  /** Commits that took their place meanwhile are as good as voids. */
  async #closeWith(voids: CommitDocument[]): Promise<number> {
    const operations = voids.map(({ _id, ...fields }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
    }));
    const { upsertedCount } = await reaching(() => this.#commits.bulkWrite(operations, { ordered: false }));
    return upsertedCount;
  }

  async #slotsOf(filter: mongo.Filter<CommitDocument>): Promise<number[]> {
    const options = { projection: { _id: 1 }, hint: '_id_', limit: PLACES_READ };
    const places = await reaching(() => this.#commits.find(filter, options).toArray());
    return [...new Set(places.map(({ _id }) => slotOfPlace(_id)))];
  }
}

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
