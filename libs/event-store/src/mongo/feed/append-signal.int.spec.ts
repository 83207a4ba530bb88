import type { Connection } from 'mongoose';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { newCommit, unused } from '../../../testing/new-commit.js';
import { openTwoProcesses } from '../../../testing/two-processes.js';
import { COMMITS } from '../commit.model.js';
import type { MongoEventStore } from '../mongo-event-store.js';

const SOON = { timeout: 20_000, interval: 20 };

let connection: Connection;
let here: MongoEventStore;
let elsewhere: MongoEventStore;

beforeEach(async () => {
  ({ connection, here, elsewhere } = await openTwoProcesses());
});

/** Returns a listener that has already been called: the other process appends until it is. */
async function listening(): Promise<ReturnType<typeof vi.fn>> {
  const wake = vi.fn<() => void>();
  onTestFinished(here.onAppended(wake));
  await hears(wake);
  return wake;
}

async function hears(wake: ReturnType<typeof vi.fn>): Promise<void> {
  wake.mockClear();
  await vi.waitFor(async () => {
    await elsewhere.append(newCommit(unused('account'), 1));
    expect(wake).toHaveBeenCalled();
  }, SOON);
}

it('signals appends of other processes, and nothing else', async () => {
  const wake = await listening();
  wake.mockClear();
  await elsewhere.append(newCommit(unused('account'), 1));
  await vi.waitFor(() => expect(wake).toHaveBeenCalled(), SOON);
});

it('signals all subscribed listeners', async () => {
  const [ended, other] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const end = here.onAppended(ended);
  here.onAppended(other);
  await hears(ended);
  end();
  ended.mockClear();
  await hears(other);
  expect(ended).not.toHaveBeenCalled();
});

it('recovers after its change stream was killed', async () => {
  const wake = await listening();
  wake.mockClear();
  expect(await killChangeStreams()).toBeGreaterThan(0);
  // It says that something may have happened meanwhile, and hears again what happens.
  await vi.waitFor(() => expect(wake).toHaveBeenCalled(), SOON);
  await hears(wake);
});

it('leaves no change stream on the server when it closes', async () => {
  await listening();
  await here.close();
  await vi.waitUntil(async () => (await changeStreams()).length === 0, SOON);
});

it('leaves no change stream on the server when it closes before the first append', async () => {
  here.onAppended(() => {});
  await here.close();
  await vi.waitUntil(async () => (await changeStreams()).length === 0, SOON);
});

async function killChangeStreams(): Promise<number> {
  const cursors = await changeStreams();
  await connection.getClient().db(connection.name).command({ killCursors: COMMITS, cursors });
  return cursors.length;
}

/** The cursors that change streams of this database have on the server. */
async function changeStreams(): Promise<unknown[]> {
  const pipeline = [
    { $currentOp: { idleCursors: true, localOps: true } },
    { $match: { ns: `${connection.name}.${COMMITS}`, 'cursor.tailable': true } },
  ];
  const admin = connection.getClient().db('admin');
  const operations = await admin.aggregate(pipeline, { readConcern: { level: 'local' } }).toArray();
  return operations.map(({ cursor }) => (cursor as { cursorId: unknown }).cursorId);
}
