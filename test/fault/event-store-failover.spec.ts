import {
  isCompacted,
  isRetryable,
  voidStreamOf,
  WrongExpectedVersion,
  type Appended,
  type NewCommit,
} from '@keyfold/event-store';
import { connectOptions, eventStoreModels, migrateSchema, MongoEventStore } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { appendOne, asStored } from '../../libs/event-store/testing/outcome.js';
import { newCommit } from '../../libs/event-store/testing/new-commit.js';
import { COMMITS, slotOf, type CommitDocument } from '../../libs/event-store/src/mongo/commit.model.js';
import { denseHistory } from '../../libs/event-store/testing/dense-history.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { timesLength } from '../support/test-length.js';

const POLL = { timeout: 60_000, interval: 20 };
const NODES = [0, 1, 2];
/** Two accounts whose streams are in different slots. */
const PARTITIONS = ['account-a', 'account-b'];
/** How often the primary changes while two processes append and compact. */
const CHANGES = timesLength(2);
/** In each partition: enough for the compaction to last while primaries change. */
const ENDED_STREAMS = 100 * CHANGES;

let set: ReplicaSet;
let database: string;
const connections: Connection[] = [];

beforeAll(async () => {
  // Long enough for a primary to accept writes before it notices that it is alone.
  set = await ReplicaSet.start(3, { electionTimeoutMillis: 2_000 });
});
afterAll(() => set.stop());

beforeEach(async () => {
  database = `keyfold-test-${randomUUID()}`;
  const connection = await connect();
  await migrateSchema(connection, eventStoreModels(connection));
});
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
});

async function connect(uri = set.uri(database)): Promise<Connection> {
  const options = { ...connectOptions, monitorCommands: true };
  const connection = await mongoose.createConnection(uri, options).asPromise();
  connections.push(connection);
  return connection;
}
const openStore = async (uri?: string) => new MongoEventStore(await connect(uri));

const request = (stream: string, version: number, partition: string) =>
  newCommit(stream, version, { partition, correlation: randomUUID() });

/**
 * Appends to one stream until `isEnough`. Retries unanswered appends like a client and continues after the last stored
 * version.
 */
async function appendUntil(store: MongoEventStore, partition: string, isEnough: () => boolean): Promise<NewCommit[]> {
  const stream = `${partition}-${randomUUID()}`;
  const acknowledged: NewCommit[] = [];
  for (let version = 1; !isEnough();) {
    const appended = await tryAppend(store, request(stream, version, partition));
    if (appended) acknowledged.push(appended.commit);
    version = appended ? version + 1 : await nextVersion(store, stream);
  }
  return acknowledged;
}

async function tryAppend(store: MongoEventStore, commit: NewCommit): Promise<Appended | undefined> {
  try {
    return await store.append(commit);
  } catch (error) {
    if (isRetryable(error) || error instanceof WrongExpectedVersion) return undefined;
    throw error;
  }
}

async function nextVersion(store: MongoEventStore, stream: string): Promise<number> {
  const commits = await vi.waitFor(() => store.readStreams([{ stream, version: 0 }]), POLL);
  return commits.length + 1;
}

/** Appends streams of two commits each, in both slots, which then never change. */
async function appendEndedStreams(store: MongoEventStore): Promise<string[]> {
  const streams = PARTITIONS.flatMap((partition) =>
    Array.from({ length: ENDED_STREAMS }, () => ({ stream: `ended-${randomUUID()}`, partition })),
  );
  for (const version of [1, 2]) {
    await Promise.all(streams.map(({ stream, partition }) => store.append(request(stream, version, partition))));
  }
  return streams.map(({ stream }) => stream);
}

/**
 * Compacts a few streams at a time, like the runner, and retries on outages. Each batch is removed completely or not at
 * all.
 */
async function compactAll(store: MongoEventStore, streams: readonly string[]): Promise<void> {
  for (let next = 0; next < streams.length; next += 10) {
    const some = streams.slice(next, next + 10);
    await vi.waitFor(() => store.compact(some), POLL);
    const left = await vi.waitFor(() => store.readStreams(some.map((stream) => ({ stream, version: 0 }))), POLL);
    expect(left).toEqual([]);
    await sleep(50);
  }
}

/** Checks that acknowledged commits are stored, and that feeds contain streams in order. */
async function expectKept(acknowledged: readonly NewCommit[]): Promise<void> {
  const connection = await connect();
  const stored = new Map((await denseHistory(connection)).map((commit) => [commit.command.id, commit]));
  expect(acknowledged.map(({ command }) => stored.get(command.id))).toEqual(acknowledged.map(asStored));
  for (const ofStream of Map.groupBy(stored.values(), ({ stream }) => stream).values()) {
    expect(ofStream.map(({ version }) => version)).toEqual(ofStream.map((_, index) => index + 1));
  }
}

describe.each([
  { what: 'steps down', change: () => set.stepDown(1) },
  {
    what: 'is killed',
    change: async () => {
      const node = await set.primary();
      await set.kill(node);
      await set.primary();
      await set.restart(node);
    },
  },
])('while the primary $what repeatedly', ({ change }) => {
  it('no acknowledged commit is lost, feeds and streams stay complete, and compacted streams are removed completely', async () => {
    const stores = [await openStore(), await openStore()];
    const ended = await appendEndedStreams(stores[0]!);
    let isOver = false;
    const appending = stores.flatMap((store) =>
      PARTITIONS.map((partition) => appendUntil(store, partition, () => isOver)),
    );
    const compacting = [ended, ended.toReversed()].map((streams, index) => compactAll(stores[index]!, streams));
    for (let changes = 0; changes < CHANGES; changes++) {
      await sleep(500);
      await change();
      await vi.waitFor(() => stores[0]!.append(request(`probe-${randomUUID()}`, 1, 'probe')), POLL);
    }
    await Promise.all(compacting);
    isOver = true;
    const acknowledged = (await Promise.all(appending)).flat();
    expect(acknowledged.length).toBeGreaterThan(30);
    await expectKept(acknowledged);
    const history = await denseHistory(await connect());
    const voids = history.filter(isCompacted);
    expect(voids.map(({ stream }) => stream).sort()).toEqual(
      ended.flatMap((each) => [1, 2].map(() => voidStreamOf(each))).sort(),
    );
    expect(voids.flatMap(({ events }) => events)).toEqual([]);
  });
});

describe('commits that only a primary without a majority accepted', () => {
  it.each([
    { where: 'alone', isContended: false },
    { where: 'beside another process', isContended: true },
  ])(
    'of a process $where are neither acknowledged nor read, and their positions are free after the rollback',
    async ({ isContended }) => {
      const [partition, another] = PARTITIONS as [string, string];
      const known = await openStore();
      const first = await appendOne(known, request('account-a', 1, partition));
      const old = await set.primary();
      const others = NODES.filter((node) => node !== old);
      const direct = await connect(set.node(old).uri(database));
      const isolated = new MongoEventStore(direct);
      await isolated.readStreams([{ stream: 'account-a', version: 0 }]);
      const before = [first];
      // The last append collides with the one before, so the process lets the server assign positions from then on.
      for (const store of isContended ? [isolated, known, isolated] : [])
        before.push(await appendOne(store, request(`account-${randomUUID()}`, 1, partition)));
      let inserts = 0;
      direct.getClient().on('commandStarted', ({ commandName }) => (inserts += commandName === 'insert' ? 1 : 0));

      // Kills the node, because a frozen one would still receive what was sent to it.
      await Promise.all(others.map((node) => set.kill(node)));
      const outcomes = Promise.all(
        [request('account-a', 2, partition), request('account-b', 1, another)].map((commit) =>
          answerOf(isolated, commit),
        ),
      );
      await vi.waitFor(async () => expect(await commandsOn(old)).toHaveLength(before.length + 2), POLL);
      expect(inserts > 0).toBe(!isContended);
      expect(await isolated.readFeed(slotOf(partition), 0, 10)).toEqual(before);
      expect(await isolated.readStreams([{ stream: 'account-a', version: 0 }])).toEqual([first]);

      await set.kill(old);
      await Promise.all(others.map((node) => set.restart(node)));
      await set.primary();
      const after = await openStore();
      const second = request('account-a', 2, partition);
      const winner = await vi.waitFor(() => appendOne(after, second), POLL);
      expect(winner.position).toBe(before.length + 1);
      const next = await appendOne(after, request('account-y', 1, partition));

      await set.restart(old);
      expect(await outcomes).toEqual(['StoreUnavailable', 'StoreUnavailable']);
      const whole = [...before, winner, next];
      await vi.waitFor(async () => expect(await commandsOn(old)).toEqual(whole.map(({ command }) => command.id)), POLL);
      expect(await after.readFeed(slotOf(partition), 0, 10)).toEqual(whole);
      await expectKept(whole);
      const again = await vi.waitFor(() => appendOne(known, request('account-b', 1, another)), POLL);
      expect(again.position).toBe(1);
      const last = await appendOne(known, request('account-z', 1, partition));
      expect(last.position).toBe(whole.length + 1);
    },
  );
});

async function answerOf(store: MongoEventStore, commit: NewCommit): Promise<string> {
  return store.append(commit).then(
    ({ outcome }) => outcome,
    (error: Error) => error.name,
  );
}

/** Returns the command ids that one node contains, in the order of their positions. */
async function commandsOn(node: number): Promise<string[]> {
  const client = new mongoose.mongo.MongoClient(set.node(node).uri(database), { serverSelectionTimeoutMS: 1_000 });
  try {
    const commits = client.db(database).collection<CommitDocument>(COMMITS);
    const found = commits.find({}, { readConcern: 'local', readPreference: 'nearest', maxTimeMS: 1_000 });
    return (await found.sort({ _id: 1 }).toArray()).map(({ command }) => command.id);
  } finally {
    await client.close();
  }
}
