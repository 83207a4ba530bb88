import type { Connection, Model, mongo } from 'mongoose';
import type { Commit, NewCommit } from '../commit.js';
import type { StreamCompaction } from '../compaction.js';
import {
  type CommitHistory,
  type HistoryRange,
  type HistoryEntry,
  EventStore,
  type Appended,
  type FoundHold,
  type StreamPoint,
  Counter,
} from '../event-store.js';
import type { CommitFeed } from '../feed/commit-feed.js';
import { MongoAppender } from './append/mongo-appender.js';
import { ALL_SLOTS, readLastPositions } from './append/slot-heads.js';
import {
  COMMITS,
  counterModel,
  COUNTERS,
  feedKeyOf,
  HISTORY,
  IS_NOT_VOID,
  LAST_HOLD,
  PARTITION_HISTORY,
  positionOfKey,
  SLOTS,
  slotOf,
  slotOfKey,
  streamOf,
  toCommit,
  type CommitDocument,
  voidCommit,
  type CounterDocument,
} from './commit.model.js';
import { compactStreams } from './compact-streams.js';
import { AppendSignal } from './feed/append-signal.js';
import { collectionOf, reaching, PrimaryBarrier } from './mongo-connection.js';
import { KnownVersions, StreamTails } from './stream-tails.js';

/** Sorts after every key with the prefix, in byte order. */
const LAST_LETTER = '\u{10FFFF}';
const KEYS_READ = 1_000;

/** The event store of any number of processes, in a MongoDB replica set. The connection must have the `connectOptions`. */
export class MongoEventStore extends EventStore implements CommitFeed, CommitHistory, StreamCompaction {
  readonly slots = SLOTS;
  readonly #commits: mongo.Collection<CommitDocument>;
  readonly #appender: MongoAppender;
  readonly #barrier: PrimaryBarrier;
  readonly #tails: StreamTails;
  readonly #signal: AppendSignal;

  constructor(private readonly connection: Connection) {
    super();
    this.#commits = collectionOf<CommitDocument>(connection, COMMITS);
    const versions = new KnownVersions();
    this.#appender = new MongoAppender(connection.getClient().db(connection.name), versions, this.appends);
    this.#barrier = new PrimaryBarrier(connection, collectionOf(connection, COUNTERS));
    this.#tails = new StreamTails(this.#commits, versions, this.#barrier);
    this.#signal = new AppendSignal(connection.getClient(), this.#commits);
  }

  slotOf(partition: string): number {
    return slotOf(partition);
  }

  append(commit: NewCommit): Promise<Appended> {
    return this.appends.measure(commit, () => this.#appender.append(commit));
  }

  async readStreams(points: readonly StreamPoint[]): Promise<Commit[]> {
    return points.length === 0 ? [] : this.#tails.after(points);
  }

  async findCommands(ids: readonly string[]): Promise<Commit[]> {
    const filter = { 'command.id': { $in: [...ids] } };
    return (await this.#barrier.read(() => this.#commits.find(filter).toArray())).map(toCommit);
  }

  async findHolds(keys: readonly string[]): Promise<string[]> {
    const wanted = new Set(keys);
    const query = () => this.#commits.find({ holds: { $in: [...keys] } }, { projection: { holds: 1 } }).toArray();
    return (await this.#barrier.read(query)).flatMap(({ holds = [] }) => holds.filter((key) => wanted.has(key)));
  }

  async findLastHold(prefix: string): Promise<FoundHold | undefined> {
    const within = { $gte: prefix, $lt: `${prefix}${LAST_LETTER}` };
    // Not a sort: MongoDB orders an array by its highest member overall, and would have to read every hold with the prefix for that.
    const options = { hint: LAST_HOLD, projection: { stream: 1, command: 1, at: 1, holds: 1 } };
    const found = await this.#barrier.read(() => this.#commits.findOne({ holds: { $elemMatch: within } }, options));
    const [key] = (found?.holds ?? [])
      .filter((hold) => hold.startsWith(prefix))
      .toSorted(inByteOrder)
      .slice(-1);
    return found && key !== undefined ? { key, stream: streamOf(found), at: found.at } : undefined;
  }

  async readFeed(slot: number, after: number, limit: number): Promise<Commit[]> {
    const range = { $gt: feedKeyOf(slot, after), $lt: feedKeyOf(slot + 1, 0) };
    const found = await reaching(() => this.#commits.find({ _id: range }, { sort: { _id: 1 }, limit }).toArray());
    const hole = found.findIndex(({ _id }, index) => positionOfKey(_id) !== after + 1 + index);
    return (hole === -1 ? found : found.slice(0, hole)).map(toCommit);
  }

  async readHistory({ partition, from = 0, before }: HistoryRange, limit: number): Promise<HistoryEntry[]> {
    const { at, key } = before ?? { at: Number.MAX_SAFE_INTEGER, key: 0 };
    // The range of times is apart from the tie, so that the server seeks to it instead of skipping newer commits one by one.
    const range = { at: { $gte: from, $lte: at }, $or: [{ at: { $lt: at } }, { _id: { $lt: key } }], ...IS_NOT_VOID };
    const [filter, hint] = partition === undefined ? [range, HISTORY] : [{ partition, ...range }, PARTITION_HISTORY];
    const options = { sort: { at: -1, _id: -1 } as const, limit, hint };
    const found = await this.#barrier.read(() => this.#commits.find(filter, options).toArray());
    return found.map((document) => ({ cursor: { at: document.at, key: document._id }, commit: toCommit(document) }));
  }

  readHeads(): Promise<Map<number, number>> {
    return readLastPositions(this.#commits, ALL_SLOTS, { readConcern: { level: 'snapshot' } });
  }

  async slotsWithNews(positions: ReadonlyMap<number, number>): Promise<number[]> {
    const next = [...positions].map(([slot, position]) => feedKeyOf(slot, position + 1));
    const options = { projection: { _id: 1 }, hint: '_id_' };
    const found = await reaching(() => this.#commits.find({ _id: { $in: next } }, options).toArray());
    const ready = new Set(found.map(({ _id }) => slotOfKey(_id)));
    return [...ready, ...(await this.#slotsBehindHoles([...positions].filter(([slot]) => !ready.has(slot))))];
  }

  async closeHoles(slot: number, after: number): Promise<number> {
    let closed = 0;
    for (let from = after; ;) {
      const range = { $gt: feedKeyOf(slot, from), $lt: feedKeyOf(slot + 1, 0) };
      const options = { sort: { _id: 1 as const }, projection: { _id: 1 }, limit: KEYS_READ };
      const keys = await reaching(() => this.#commits.find({ _id: range }, options).toArray());
      const taken = keys.map(({ _id }) => positionOfKey(_id));
      closed += await this.#close(slot, missingBetween(from, taken));
      if (keys.length < KEYS_READ) return closed;
      from = taken.at(-1)!;
    }
  }

  compact(streams: readonly string[]): Promise<number> {
    return compactStreams(this.connection.getClient(), this.#commits, streams, 'keep');
  }

  erase(streams: readonly string[]): Promise<number> {
    return compactStreams(this.connection.getClient(), this.#commits, streams, 'erase');
  }

  onAppended(wake: (slot?: number) => void): () => void {
    return this.#signal.subscribe(wake);
  }

  async close(): Promise<void> {
    await Promise.all([this.#appender.idle(), this.#signal.close()]);
  }

  /** Returns the slots with a commit after a free next position: almost always none. */
  async #slotsBehindHoles(positions: readonly (readonly [number, number])[]): Promise<number[]> {
    if (positions.length === 0) return [];
    const behind = positions.map(([slot, position]) => ({
      _id: { $gt: feedKeyOf(slot, position + 1), $lt: feedKeyOf(slot + 1, 0) },
    }));
    const slot = { $floor: { $divide: ['$_id', feedKeyOf(1, 0)] } };
    const pipeline = [{ $match: { $or: behind } }, { $group: { _id: slot } }];
    const found = await reaching(() => this.#commits.aggregate<{ _id: number }>(pipeline, { hint: '_id_' }).toArray());
    return found.map(({ _id }) => _id);
  }

  /** A commit that takes such a position first is as good as a void one. */
  async #close(slot: number, positions: readonly number[]): Promise<number> {
    if (positions.length === 0) return 0;
    const operations = positions.map((position) => {
      const { _id, ...fields } = voidCommit(slot, position);
      return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } };
    });
    const { upsertedCount } = await reaching(() => this.#commits.bulkWrite(operations, { ordered: false }));
    return upsertedCount;
  }
}

/** Returns the free positions after `from` and before a taken one; `taken` is in ascending order. */
function missingBetween(from: number, taken: readonly number[]): number[] {
  const missing: number[] = [];
  let next = from + 1;
  for (const position of taken) {
    for (; next < position; next++) missing.push(next);
    next = position + 1;
  }
  return missing;
}

const inByteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

export class MongoCounter extends Counter {
  readonly #counters: Model<CounterDocument>;

  constructor(connection: Connection) {
    super();
    this.#counters = counterModel(connection);
  }

  async take(name: string, count: number, start: number): Promise<number> {
    const next = { $add: [{ $ifNull: ['$next', start] }, count] };
    const options = { upsert: true, returnDocument: 'after' as const, updatePipeline: true };
    const counter = await reaching(() =>
      this.#counters
        .findOneAndUpdate({ _id: name }, [{ $set: { next } }], options)
        .lean()
        .exec(),
    );
    return counter!.next - count;
  }

  async read(): Promise<Map<string, number>> {
    const found = await reaching(() => this.#counters.find().lean().exec());
    return new Map(found.map(({ _id, next }) => [_id, next]));
  }
}
