import { SqliteEventStore, SqliteFeedLeases, SqliteFile, eventStoreSchema } from '@keyfold/event-store/sqlite';
import { projectorName } from '@keyfold/projections';
import { readModelTables, SqliteReadModelStore } from '@keyfold/projections/sqlite';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { verifyStopped } from '../support/read-model-check.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { SEED, timesLength } from '../support/test-length.js';
import { KillCampaign } from './kill-campaign.js';
import { seededRandom } from './seeded-random.js';

const KILLS = timesLength(3);
const ADDS = 1_200;
const THREADS = '4';
const ACCOUNTS = 40;
const ADMIN_PASSWORD = 'Adm1n-pass';

let server: StandaloneProcess;
beforeAll(async () => {
  server = await StandaloneProcess.start({
    KEYFOLD_ADMIN_PASSWORD: ADMIN_PASSWORD,
    KEYFOLD_LOG_LEVEL: 'warn',
    KEYFOLD_THREADS: THREADS,
  });
});
afterAll(() => server?.dispose());

it(`loses nothing over ${KILLS} kills, each during ${ADDS} adds to ${ACCOUNTS} accounts, with ${THREADS} threads (seed ${SEED})`, async () => {
  const campaign = new KillCampaign(server, seededRandom(SEED), ACCOUNTS);
  await campaign.begin(ADMIN_PASSWORD);
  for (let kill = 1; kill <= KILLS; kill++) {
    const { answered, planned } = await campaign.killInTheMiddle(ADDS);
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(planned);
    await server.restart();
    expect(await campaign.check(), `after kill ${kill}`).toEqual([]);
  }
  await vi.waitFor(() => expect(projectedPosition(server.dataDir)).toBe(lastPosition(server.dataDir)), {
    timeout: 60_000,
    interval: 250,
  });
  expect(await server.stop()).toBe(0);
  await expectWholeStore(server.dataDir);
  expect(server.output()).toBe('');
});

/** Checks that the feed and the streams have no gap and that the read models match all events. */
async function expectWholeStore(dataDir: string): Promise<void> {
  const events = new SqliteEventStore(new SqliteFile(join(dataDir, 'keyfold.db'), eventStoreSchema));
  const views = new SqliteFile(join(dataDir, 'views.db'), {
    version: 1,
    synchronous: 'NORMAL',
    sql: readModelTables,
  });
  try {
    const found = await verifyStopped(events, new SqliteReadModelStore(views), new SqliteFeedLeases(views));
    expect(found).toMatchObject({ problems: [], behind: 0 });
    // Each account has its own stream, its keys and at least one session.
    expect(found.streams).toBeGreaterThanOrEqual(3 * ACCOUNTS);
  } finally {
    await events.close();
    await views.close();
  }
}

const projectedPosition = (dataDir: string) =>
  numberIn(dataDir, 'views.db', 'SELECT position AS n FROM checkpoints WHERE reader = ?', projectorName);
const lastPosition = (dataDir: string) => numberIn(dataDir, 'keyfold.db', 'SELECT max(position) AS n FROM commits');

/** Queries a database file of the running server. */
function numberIn(dataDir: string, file: string, sql: string, ...params: string[]): number {
  const database = new DatabaseSync(join(dataDir, file), { readOnly: true });
  try {
    return Number(database.prepare(sql).get(...params)?.['n'] ?? 0);
  } finally {
    database.close();
  }
}
