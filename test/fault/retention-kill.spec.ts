import { openSharedStore } from '@keyfold/operator';
import { SqliteEventStore, SqliteFile, eventStoreSchema } from '@keyfold/event-store/sqlite';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keyfold, startKeyfold } from '../support/cli.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { appendOldSessions, compactedIn } from '../support/old-sessions.js';
import { StoreInspection } from '../support/scaled-check.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { timesLength } from '../support/test-length.js';

const KILLS = timesLength(2);
/** So many that a killed process has always more to compact. */
const SESSIONS = 800 * KILLS;
const POLL = { timeout: 60_000, interval: 100 };

it('a service killed while it compacts sessions leaves nothing incomplete on SQLite', async () => {
  const service = await StandaloneProcess.start();
  onTestFinished(() => service.dispose());
  const run = (...args: string[]) => keyfold({ KEYFOLD_DATA_DIR: service.dataDir }, ...args);
  await service.stop();
  for (const name of ['keyfold.db', 'views.db']) rmSync(join(service.dataDir, name));
  const store = new SqliteEventStore(new SqliteFile(join(service.dataDir, 'keyfold.db'), eventStoreSchema));
  await appendOldSessions(store, SESSIONS);
  await store.close();
  // Writes the documents first, so that there are some to remove.
  await service.restart({ KEYFOLD_SESSION_DAYS: '90' });

  for (let kill = 1; kill <= KILLS; kill++) {
    const before = compactedIn(service.output());
    await service.restart({ KEYFOLD_SESSION_DAYS: '0.001' });
    const often = { ...POLL, interval: 1 };
    await vi.waitFor(() => expect(compactedIn(service.output())).toBeGreaterThan(before), often);
    await sleep(Math.random() * 60);
    await service.kill();
    expect(await run('verify')).toMatchObject({ status: 0, out: expect.stringContaining(': no problems\n') });
  }
  await service.restart();
  const finished = expect.stringContaining(`${SESSIONS * 1.5 + 3} commits of 3 streams and 3 documents: no problems`);
  const seldom = { ...POLL, interval: 1_000 };
  await vi.waitFor(async () => expect(await run('verify')).toMatchObject({ status: 0, out: finished }), seldom);
  const database = new DatabaseSync(join(service.dataDir, 'keyfold.db'), { readOnly: true });
  const addresses = database.prepare("SELECT count(*) AS found FROM commits WHERE events LIKE '%192.0.2.77%'").get();
  database.close();
  expect(addresses).toEqual({ found: 0 });
});

it('a command killed while it compacts sessions leaves nothing incomplete on MongoDB', async () => {
  const set = await ReplicaSet.start(1);
  onTestFinished(() => set.stop());
  // The server holds the locks of a killed process until it aborts its transaction, by default after at most 90
  // seconds.
  await set.node(0).command({ setParameter: 1, transactionLifetimeLimitSeconds: 2 });
  const uri = set.uri('retention');
  const service = await ScaledService.create(uri, { gateways: 0, workers: 1 });
  onTestFinished(() => service.dispose());
  const { ports, close } = await openSharedStore(uri, { prepare: true, leaseMilliseconds: 10_000, sessionDays: 90 });
  await appendOldSessions(ports.store, SESSIONS / 2);
  await close();
  await service.startAll();
  const inspection = await StoreInspection.open(uri);
  onTestFinished(() => inspection.close());
  const left = () => inspection.connection.collection('sessions_1').countDocuments();
  await vi.waitFor(async () => expect(await left()).toBe(SESSIONS / 2), POLL);
  await inspection.untilProjected();

  for (let kill = 1; kill <= KILLS; kill++) {
    await killAmid(uri, left);
    const verified = await keyfold({ KEYFOLD_MONGODB_URI: uri }, 'verify');
    expect(verified).toMatchObject({ status: 0, out: expect.stringContaining(': no problems\n') });
  }
  const compact = () => keyfold({ KEYFOLD_MONGODB_URI: uri, KEYFOLD_SESSION_DAYS: '90' }, 'compact');
  const untilUnlocked = { timeout: UNLOCKED_AFTER, interval: 1_000 };
  await vi.waitFor(async () => expect(await compact()).toMatchObject({ status: 0 }), untilUnlocked);
  expect(await left()).toBe(0);
  expect(await inspection.verify()).toMatchObject({ problems: [], documents: 0 });
});

/** Milliseconds for which the locks of a killed process may make others retry. */
const UNLOCKED_AFTER = 60_000;

/** Kills the command once it has removed something. */
async function killAmid(uri: string, left: () => Promise<number>): Promise<void> {
  const before = await left();
  for (const deadline = Date.now() + UNLOCKED_AFTER; Date.now() < deadline; await sleep(500)) {
    const command = startKeyfold({ KEYFOLD_MONGODB_URI: uri, KEYFOLD_SESSION_DAYS: '90' }, 'compact');
    const ended = command.result.then(() => 'ended' as const);
    while ((await Promise.race([ended, left()])) === before);
    await sleep(Math.random() * 40);
    command.child.kill('SIGKILL');
    await command.result;
    if ((await left()) < before) return;
  }
  expect.fail(`nothing was compacted within ${UNLOCKED_AFTER} ms`);
}
