import { Batcher, type Call } from '@keyfold/concurrency';
import { Contended, isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import { LRUCache } from 'lru-cache';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { ThrottleStore, type Admission, type Success, type ThrottledKey } from '../throttle.js';
import { THROTTLE, type ThrottleDocument } from './throttle.model.js';
import { countPipeline, successUpdates, takeBackPipeline, updateOne, type Try } from './throttle-updates.js';

type States = ReadonlyMap<string, ThrottleDocument>;

/** Counters may be lost with the power, so nobody waits for a disk or for other members of the replica set. */
const QUICKLY = { writeConcern: { w: 1, journal: false }, readConcern: { level: 'local' } } as const;
const DUPLICATE_KEY = 11_000;
const REMEMBERED_BLOCKS = 10_000;
const READERS = 256;
/** Tries of one key: of those who count first on a new key at the same moment, all but one must count again. */
const ATTEMPTS = 10;

/**
 * Counters for all gateways together. A try counts on one key after the other, in one round trip, and stops at the first that is blocked;
 * then what was counted is taken back. So no more tries are admitted than the rules say, whoever else counts; a try that is about to be
 * refused may for that moment keep another one out. A gateway that dies leaves one failure at most on each key of a try under way.
 */
export class MongoThrottleStore extends ThrottleStore {
  readonly #counters: mongo.Collection<ThrottleDocument>;
  readonly #reads: Batcher<readonly string[], States>;
  /** Until when keys were blocked when last seen. Never believed, but such keys are read before anything is counted. */
  readonly #blocks = new LRUCache<string, number>({ max: REMEMBERED_BLOCKS });

  constructor(connection: Connection) {
    super();
    this.#counters = connection.getClient().db(connection.name).collection<ThrottleDocument>(THROTTLE, QUICKLY);
    this.#reads = new Batcher((calls) => this.#readAll(calls), READERS, isOutage);
  }

  async take(keys: readonly ThrottledKey[], now: number): Promise<Admission> {
    if (keys.some(({ key }) => (this.#blocks.get(key) ?? 0) > now)) {
      const refusedUntil = await this.#judge(keys, now);
      if (refusedUntil !== undefined) return refused(refusedUntil, now);
    }
    const attempt = { id: randomUUID(), now };
    try {
      return await this.#countAll(keys, attempt);
    } catch (error) {
      // A try that could not be counted is none; keys that it was not counted on do not know it.
      await this.#takeBack(keys, attempt).catch(() => undefined);
      throw error;
    }
  }

  async look(keys: readonly ThrottledKey[], now: number): Promise<number> {
    const refusedUntil = (await this.#judge(keys, now)) ?? now;
    return Math.ceil((refusedUntil - now) / 1000);
  }

  async succeed(success: Success): Promise<void> {
    const updates = successUpdates(success) as mongo.AnyBulkWriteOperation<ThrottleDocument>[];
    if (updates.length > 0) await reaching(() => this.#counters.bulkWrite(updates, { ordered: false }));
  }

  async isRemembered(key: string, now: number): Promise<boolean> {
    const found = (await this.#reads.submit([key])).get(key);
    return found !== undefined && found.expires.getTime() > now;
  }

  async #countAll(keys: readonly ThrottledKey[], attempt: Try): Promise<Admission> {
    const failures: number[] = [];
    for (let counted = 0, attempts = 0; counted < keys.length; attempts++) {
      if (attempts === ATTEMPTS * keys.length) throw new Contended('a counter of the throttle is contended');
      const run = runOf(keys.slice(counted));
      const done = run[0]!.told
        ? await this.#countTold(run[0]!, attempt, failures)
        : await this.#countRun(run, attempt);
      counted += done;
      if (done === run.length) continue;
      const refusedUntil = await this.#judge([keys[counted]!], attempt.now);
      if (refusedUntil === undefined) continue;
      await this.#takeBack(keys.slice(0, counted), attempt);
      return refused(refusedUntil, attempt.now);
    }
    return { admitted: true, failures };
  }

  /** Counts in order up to the first key that does not let the try pass; answers on how many. */
  async #countRun(run: readonly ThrottledKey[], attempt: Try): Promise<number> {
    const updates = run.map((key) => updateOne(filterOf(key, attempt), countPipeline(key, attempt), true));
    try {
      await reaching(() => this.#counters.bulkWrite(updates, { ordered: true }));
      return run.length;
    } catch (error) {
      const [first] = error instanceof mongoose.mongo.MongoBulkWriteError ? error.result.getWriteErrors() : [];
      if (first?.code === DUPLICATE_KEY) return first.index;
      throw error;
    }
  }

  async #countTold(key: ThrottledKey, attempt: Try, failures: number[]) {
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

  async #takeBack(keys: readonly ThrottledKey[], attempt: Try): Promise<void> {
    if (keys.length === 0) return;
    const updates = keys.map(({ key: _id }) => updateOne({ _id }, takeBackPipeline(attempt)));
    await reaching(() => this.#counters.bulkWrite(updates, { ordered: false }));
  }

  /** Until when the first of the keys that are blocked is. */
  async #judge(keys: readonly ThrottledKey[], now: number): Promise<number | undefined> {
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

/** The keys that are counted in one round trip: one that tells its failures goes alone. */
function runOf(keys: readonly ThrottledKey[]): readonly ThrottledKey[] {
  const told = keys.findIndex((key) => key.told);
  return told === -1 ? keys : keys.slice(0, Math.max(1, told));
}

/** A key that is blocked does not match; then its insertion fails as a duplicate, which says so. */
const filterOf = ({ key: _id }: ThrottledKey, { now }: Try) => ({ _id, blockedUntil: { $lte: now } });

const refused = (until: number, now: number): Admission => ({
  admitted: false,
  retryAfterSeconds: Math.max(1, Math.ceil((until - now) / 1000)),
});
