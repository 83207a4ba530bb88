import { StoreUnavailable, type NewCommit } from '@keyfold/event-store';
import { connectOptions, eventStoreModels, migrateSchema, MongoEventStore } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newCommit } from '../../libs/event-store/testing/new-commit.js';
import { asStored } from '../../libs/event-store/testing/outcome.js';
import { denseHistory } from '../../libs/event-store/testing/dense-history.js';
import { proxiedMongod } from '../support/mongo/proxied-mongod.js';

/** The time within which an operation fails: it may run twice, and each attempt waits for a server and an answer. */
const BOUND = 40_000;
const POLL = { timeout: 60_000, interval: 20 };

const { set, proxy } = await proxiedMongod();
let direct: Connection;
let connection: Connection;
let store: MongoEventStore;

beforeEach(async () => {
  const database = `keyfold-test-${randomUUID()}`;
  direct = await mongoose.createConnection(set.node(0).uri(database), connectOptions).asPromise();
  await migrateSchema(direct, eventStoreModels(direct));
  connection = await mongoose.createConnection(proxy.uri(database), connectOptions).asPromise();
  store = new MongoEventStore(connection);
});
afterEach(async () => {
  await connection.close();
  await direct.close();
});

const request = (stream: string) => newCommit(stream, 1, { partition: 'partition', correlation: randomUUID() });
const requests = (count: number) => Array.from({ length: count }, () => request(`account-${randomUUID()}`));
const appendAll = (commits: readonly NewCommit[]) => Promise.all(commits.map((commit) => store.append(commit)));

/** Appends from another process at the position that the store under test expects to use next. */
async function appendFromAnotherProcess(): Promise<void> {
  const another = new MongoEventStore(direct);
  await store.append(request(`account-${randomUUID()}`));
  await another.append(request(`account-${randomUUID()}`));
  await store.append(request(`account-${randomUUID()}`));
}

/** Checks that every commit is stored once and that the answers match. */
async function expectStored(commits: readonly NewCommit[], answers: Awaited<ReturnType<typeof appendAll>>) {
  const stored = await denseHistory(direct);
  for (const [index, commit] of commits.entries()) {
    expect(stored.filter(({ command }) => command.id === commit.command.id)).toEqual([asStored(commit)]);
    expect(answers[index]).toEqual({ outcome: 'appended', commit });
  }
}

describe.each([
  { where: 'alone', prepare: async () => void (await store.append(request('account-0'))) },
  { where: 'beside another process', prepare: appendFromAnotherProcess },
])('a process $where', ({ prepare }) => {
  describe.each([1, 20])('that appends %i at once', (count) => {
    it('gets them acknowledged and stored once if the answer was lost', async () => {
      await prepare();
      const commits = requests(count);
      proxy.setDroppingResponses(true);
      const appending = appendAll(commits);
      await vi.waitUntil(() => isStored(commits[0]!), POLL);
      proxy.setDroppingResponses(false);
      await expectStored(commits, await appending);
    });

    it('gets them acknowledged if the answer to the retry of the driver was lost as well', async () => {
      await prepare();
      const commits = requests(count);
      proxy.setDroppingResponses(true);
      const appending = appendAll(commits);
      await vi.waitUntil(() => isStored(commits[0]!), POLL);
      proxy.resetConnections();
      await vi.waitUntil(() => proxy.connections > 0, POLL);
      proxy.setDroppingResponses(false);
      await expectStored(commits, await appending);
    });

    it('gets them acknowledged if the server missed the first attempt', async () => {
      await prepare();
      const commits = requests(count);
      proxy.freeze(true);
      const appending = appendAll(commits);
      await nextIterations();
      proxy.resetConnections();
      proxy.freeze(false);
      await expectStored(commits, await appending);
    });
  });
});

describe.each([
  {
    what: 'is down',
    fail: () => set.kill(0),
    recover: () => set.restart(0),
  },
  {
    what: 'hangs',
    fail: async () => proxy.freeze(true),
    recover: async () => {
      proxy.resetConnections();
      proxy.freeze(false);
    },
  },
])('while the server $what', ({ fail, recover }) => {
  it('every method fails within a bounded time and works again afterwards', async () => {
    const before = request('account-1');
    await store.append(before);
    await fail();
    const since = performance.now();
    const calls = {
      append: store.append(request('account-2')),
      readStreams: store.readStreams([{ stream: 'account-1', version: 0 }]),
      findCommand: store.findCommand(before.command.id),
      findLastHold: store.findLastHold('name:'),
      readFeed: store.readFeed(0, 0, 10),
      slotsWithNews: store.slotsWithNews(new Map([[0, 0]])),
      closeHoles: store.closeHoles(0, 0),
    };
    const times: Record<string, number> = {};
    const errors = await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const error: unknown = await call.catch((thrown: unknown) => thrown);
        times[name] = Math.round(performance.now() - since);
        return error instanceof Error ? error.name : error;
      }),
    );
    expect(errors).toEqual(Object.keys(calls).map(() => StoreUnavailable.name));
    expect(Object.entries(times).filter(([, time]) => time > BOUND)).toEqual([]);
    const again = performance.now();
    await expect(store.append(request('account-3'))).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - again).toBeLessThan(BOUND);

    await recover();
    const after = await vi.waitFor(() => store.append(request('account-4')), POLL);
    expect(after.outcome).toBe('appended');
    expect(await store.readStreams([{ stream: 'account-4', version: 0 }])).toEqual([asStored(after.commit)]);
    expect((await denseHistory(direct)).map(({ stream }) => stream)).toEqual(
      expect.arrayContaining(['account-1', 'account-4']),
    );
  });
});

it('an append that the network cuts halfway is abandoned, and later ones succeed', async () => {
  await store.append(request('account-1'));
  const large = { type: 'account.renamed', v: 1, data: { name: 'x'.repeat(10 * 1024 * 1024) } };
  proxy.freeze(true);
  const since = performance.now();
  const appends = [1, 2, 3].map((number) => store.append({ ...request(`account-large-${number}`), events: [large] }));
  const results = await Promise.allSettled(appends);
  expect(results.map((result) => result.status === 'rejected' && result.reason instanceof StoreUnavailable)).toEqual([
    true,
    true,
    true,
  ]);
  expect(performance.now() - since).toBeLessThan(BOUND);
  proxy.resetConnections();
  proxy.freeze(false);
  expect((await vi.waitFor(() => store.append(request('account-2')), POLL)).outcome).toBe('appended');
  await denseHistory(direct);
});

async function isStored({ command }: NewCommit): Promise<boolean> {
  return (await new MongoEventStore(direct).findCommand(command.id)) !== undefined;
}

/** Waits until the process has sent everything. */
async function nextIterations(): Promise<void> {
  for (let iteration = 0; iteration < 20; iteration++) await new Promise((go) => setImmediate(go));
}
