import type { Commit, NewCommit } from '@keyfold/event-store';
import { connectOptions, eventStoreModels, migrateSchema, MongoEventStore } from '@keyfold/event-store/mongo';
import fc from 'fast-check';
import mongoose, { type Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { slotOf } from '../../libs/event-store/src/mongo/commit.model.js';
import { denseHistory } from '../../libs/event-store/testing/dense-history.js';
import { asStored } from '../../libs/event-store/testing/outcome.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { SEED, timesLength } from '../support/test-length.js';
import { FeedFollower, write } from './append-run.js';
import { PARTITIONS, PROCESSES, schedule, type Fault, type Schedule } from './append-schedule.js';
import { seededRandom } from './seeded-random.js';
import { SocketCutter } from './socket-cutter.js';

const RUNS = { numRuns: timesLength(2), seed: SEED };
/** Milliseconds after which a schedule counts as hanging. */
const SCHEDULE_TIMEOUT = 180_000;
const SLOTS = [...new Set(PARTITIONS.map(slotOf))];
const POLL = { timeout: 60_000, interval: 20 };

let set: ReplicaSet;
const cutter = new SocketCutter();
const totals = { acknowledged: 0, seen: 0, faults: 0 };

beforeAll(async () => {
  set = await ReplicaSet.start(3);
});
afterAll(async () => {
  cutter.close();
  await set.stop();
  console.log('schedules:', RUNS, totals);
});

it('processes that append to the same slots lose nothing, skip nothing and keep every order during faults', () =>
  fc.assert(fc.asyncProperty(schedule, expectKept), { ...RUNS, timeout: SCHEDULE_TIMEOUT, endOnFailure: true }));

async function expectKept(plan: Schedule): Promise<void> {
  const database = `keyfold-test-${randomUUID()}`;
  const connections = await Promise.all(
    Array.from({ length: PROCESSES + 1 }, () =>
      mongoose.createConnection(set.uri(database), connectOptions).asPromise(),
    ),
  );
  const [reading, ...writing] = connections;
  if (!reading) throw new Error('no connection');
  try {
    await vi.waitFor(() => migrateSchema(reading, eventStoreModels(reading)), POLL);
    const acknowledged: NewCommit[] = [];
    const follower = new FeedFollower(new MongoEventStore(reading), SLOTS);
    await run(plan, writing, follower, acknowledged);
    const history = await vi.waitFor(() => denseHistory(reading), POLL);
    expectNothingLost(history, acknowledged);
    expectDecidedInOrder(history);
    expectSeen(history, follower);
    totals.acknowledged += acknowledged.length;
    totals.seen += [...follower.seen.values()].flat().length;
    await reading.dropDatabase();
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

async function run(
  { writers, faults, seed }: Schedule,
  writing: readonly Connection[],
  follower: FeedFollower,
  acknowledged: NewCommit[],
): Promise<void> {
  const stores = writing.map((connection) => new MongoEventStore(connection));
  let over = false;
  const reading = follower.follow(() => over);
  const failing = failAt(faults, seededRandom(seed), () => (over ? Infinity : acknowledged.length));
  const storing = writers.flatMap((plan) => {
    const store = stores[plan.process];
    return store ? [write(store, plan, (commit) => void acknowledged.push(commit))] : [];
  });
  await Promise.all(storing).finally(() => (over = true));
  await Promise.all([reading, failing]);
}

/** Injects the faults in turn, each after its number of acknowledged commits. */
async function failAt(faults: readonly Fault[], random: () => number, acknowledged: () => number): Promise<void> {
  for (const { after, kind } of faults.toSorted((left, right) => left.after - right.after)) {
    await vi.waitUntil(() => acknowledged() >= after, { timeout: 120_000, interval: 2 });
    if (acknowledged() === Infinity) return;
    await fail(kind, random);
    totals.faults += 1;
  }
}

async function fail(kind: Fault['kind'], random: () => number): Promise<void> {
  if (kind === 'cut') {
    cutter.cut(
      [0, 1, 2].map((node) => set.node(node).port),
      () => random() < 0.5,
    );
  } else if (kind === 'step-down') {
    // The server refuses while no other node is up to date.
    await set.stepDown(1).catch(() => undefined);
  } else {
    const node = await set.primary();
    await set.kill(node);
    await set.restart(node);
  }
}

function expectNothingLost(history: readonly Commit[], acknowledged: readonly NewCommit[]): void {
  const stored = new Map(history.map((commit) => [commit.command.id, commit]));
  expect(acknowledged.map(({ command }) => stored.get(command.id))).toEqual(acknowledged.map(asStored));
  expect(new Set(acknowledged.map(({ command }) => command.id)).size).toBe(acknowledged.length);
}

/** Checks that each commit directly follows the one on which it was decided, within its stream. */
function expectDecidedInOrder(history: readonly Commit[]): void {
  const holds = history.flatMap((commit) => commit.holds ?? []);
  expect(new Set(holds).size).toBe(holds.length);
  for (const commits of Map.groupBy(history, ({ stream }) => stream).values()) {
    const bases = ['nothing', ...commits.map(({ command }) => command.id)].slice(0, -1);
    expect(commits.map(({ causation }) => causation)).toEqual(bases);
  }
}

/** Checks that the reader saw the feeds as they are now and never had to close a hole. */
function expectSeen(history: readonly Commit[], follower: FeedFollower): void {
  for (const [slot, seen] of follower.seen) {
    const feed = history.filter(({ partition }) => slotOf(partition) === slot);
    expect(seen.map(({ command }) => command.id)).toEqual(feed.map(({ command }) => command.id));
  }
  expect(follower.holes).toBe(0);
}
