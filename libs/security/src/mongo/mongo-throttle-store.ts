import { Batcher, type Call } from '@keyfold/concurrency';
import { Contended, isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import { LRUCache } from 'lru-cache';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { ThrottleStore, type Admission, type CounterChanges, type ThrottleKey } from '../throttle/throttle-store.js';
import { THROTTLE, type ThrottleDocument } from './throttle.model.js';
import { changeUpdates, countPipeline, undoPipeline, updateOne, type Attempt } from './throttle-updates.js';

type States = ReadonlyMap<string, ThrottleDocument>;

/** A power failure may lose counters, so no write waits for the disk or for other members of the replica set. */
const RELAXED = { writeConcern: { w: 1, journal: false }, readConcern: { level: 'local' } } as const;
const DUPLICATE_KEY = 11_000;
const CACHED_BLOCKS = 10_000;
const READS_PER_BATCH = 256;
/** Per key: of several attempts that create a key at the same moment, all but one must retry. */
const RETRIES = 10;

/**
 * Stores the counters of all gateways in MongoDB. An attempt counts on one key after another, in one round trip. At the first blocked key it
 * stops and undoes its counts. Concurrent attempts therefore never exceed a limit, but an attempt that is about to be refused may briefly
 * block another one. A gateway that dies leaves at most one extra failure on each key of each attempt in flight.
 */
export class MongoThrottleStore extends ThrottleStore {
  readonly #counters: mongo.Collection<ThrottleDocument>;
  readonly #reads: Batcher<readonly string[], States>;
  /** When blocks ended at the last read. Possibly stale, so these keys are read again before anything is counted. */
  readonly #blocks = new LRUCache<string, number>({ max: CACHED_BLOCKS });

  constructor(connection: Connection) {
    super();
    this.#counters = connection.getClient().db(connection.name).collection<ThrottleDocument>(THROTTLE, RELAXED);
    this.#reads = new Batcher((calls) => this.#readAll(calls), READS_PER_BATCH, isOutage);
  }

  async admit(keys: readonly ThrottleKey[], now: number): Promise<Admission> {
    if (keys.some(({ key }) => (this.#blocks.get(key) ?? 0) > now)) {
      const blockedUntil = await this.#blockedUntil(keys, now);
      if (blockedUntil !== undefined) return refused(blockedUntil, now);
    }
    const attempt = { id: randomUUID(), now };
    try {
      return await this.#countAll(keys, attempt);
    } catch (error) {
      // Keys that the attempt did not reach ignore this.
      await this.#undo(keys, attempt).catch(() => undefined);
      throw error;
    }
  }

  async secondsBlocked(keys: readonly ThrottleKey[], now: number): Promise<number> {
    const blockedUntil = (await this.#blockedUntil(keys, now)) ?? now;
    return Math.ceil((blockedUntil - now) / 1000);
  }

  async apply(changes: CounterChanges): Promise<void> {
    const updates = changeUpdates(changes) as mongo.AnyBulkWriteOperation<ThrottleDocument>[];
    if (updates.length > 0) await reaching(() => this.#counters.bulkWrite(updates, { ordered: false }));
  }

  async forgetAll(keys: readonly string[], now: number): Promise<number> {
    // The semicolon follows the colon.
    const $or = keys.flatMap((key) => [{ _id: key }, { _id: { $gte: `${key}:`, $lt: `${key};` } }]);
    const blocked = await reaching(() => this.#counters.countDocuments({ $or, blockedUntil: { $gt: now } }));
    await reaching(() => this.#counters.deleteMany({ $or }));
    return blocked;
  }

  async isRemembered(key: string, now: number): Promise<boolean> {
    const found = (await this.#reads.submit([key])).get(key);
    return found !== undefined && found.expires.getTime() > now;
  }

  async #countAll(keys: readonly ThrottleKey[], attempt: Attempt): Promise<Admission> {
    const failures: number[] = [];
    for (let counted = 0, rounds = 0; counted < keys.length; rounds++) {
      if (rounds === RETRIES * keys.length)
        throw new Contended('cannot count a login attempt: its throttle counters are contended');
      const batch = nextBatch(keys.slice(counted));
      const done = batch[0]!.reportFailures
        ? await this.#countAndRead(batch[0]!, attempt, failures)
        : await this.#countBatch(batch, attempt);
      counted += done;
      if (done === batch.length) continue;
      const blockedUntil = await this.#blockedUntil([keys[counted]!], attempt.now);
      if (blockedUntil === undefined) continue;
      await this.#undo(keys.slice(0, counted), attempt);
      return refused(blockedUntil, attempt.now);
    }
    return { admitted: true, failures };
  }

  /** Counts in order up to the first blocked key. Returns the number of keys counted. */
  async #countBatch(batch: readonly ThrottleKey[], attempt: Attempt): Promise<number> {
    const updates = batch.map((key) => updateOne(filterOf(key, attempt), countPipeline(key, attempt), true));
    try {
      await reaching(() => this.#counters.bulkWrite(updates, { ordered: true }));
      return batch.length;
    } catch (error) {
      const [first] = error instanceof mongoose.mongo.MongoBulkWriteError ? error.result.getWriteErrors() : [];
      if (first?.code === DUPLICATE_KEY) return first.index;
      throw error;
    }
  }

  /** Counts on one key and appends its count to `failures`. Returns 0 if the key is blocked, else 1. */
  async #countAndRead(key: ThrottleKey, attempt: Attempt, failures: number[]): Promise<number> {
    const options = { upsert: true, returnDocument: 'after', projection: { failures: 1 } } as const;
    const filter = filterOf(key, attempt);
    try {
      const counter = await reaching(() =>
        this.#counters.findOneAndUpdate(filter, countPipeline(key, attempt), options),
      );
      failures.push(counter!.failures);
      return 1;
    } catch (error) {
      if (error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY) return 0;
      throw error;
    }
  }

  async #undo(keys: readonly ThrottleKey[], attempt: Attempt): Promise<void> {
    if (keys.length === 0) return;
    const updates = keys.map(({ key: _id }) => updateOne({ _id }, undoPipeline(attempt)));
    await reaching(() => this.#counters.bulkWrite(updates, { ordered: false }));
  }

  /** Returns when the block of the first blocked key ends, or undefined. */
  async #blockedUntil(keys: readonly ThrottleKey[], now: number): Promise<number | undefined> {
    const states = await this.#reads.submit(keys.map(({ key }) => key));
    for (const { key } of keys) {
      const blockedUntil = states.get(key)?.blockedUntil ?? 0;
      if (blockedUntil > now) {
        this.#blocks.set(key, blockedUntil);
        return blockedUntil;
      }
      this.#blocks.delete(key);
    }
    return undefined;
  }

  async #readAll(calls: readonly Call<readonly string[], States>[]): Promise<void> {
    const $in = [...new Set(calls.flatMap(({ item }) => item))];
    const options = { projection: { blockedUntil: 1, expires: 1 } };
    const found = await reaching(() => this.#counters.find({ _id: { $in } }, options).toArray());
    const states = new Map(found.map((document) => [document._id, document]));
    for (const { resolve } of calls) resolve(states);
  }
}

/** Returns the keys of the next round trip. A key that reports its failures needs one of its own. */
function nextBatch(keys: readonly ThrottleKey[]): readonly ThrottleKey[] {
  const reporting = keys.findIndex((key) => key.reportFailures);
  return reporting === -1 ? keys : keys.slice(0, Math.max(1, reporting));
}

/** A blocked key does not match, so the upsert fails with a duplicate key. */
const filterOf = ({ key: _id }: ThrottleKey, { now }: Attempt) => ({ _id, blockedUntil: { $lte: now } });

const refused = (until: number, now: number): Admission => ({
  admitted: false,
  retryAfterSeconds: Math.max(1, Math.ceil((until - now) / 1000)),
});
