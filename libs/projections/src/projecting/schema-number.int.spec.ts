import { SqliteFeedLeases, SqliteFile } from '@keyfold/event-store/sqlite';
import { expect, it, vi } from 'vitest';
import { registered, renamed } from '../../../domain/testing/account.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { accountStream } from '../loading/stream-ref.js';
import { accounts, sshKeyRings } from '../read-model.js';
import { projectorName } from './projector.js';

/** The library as the next version of the program has it: the schema number of accounts is one higher. */
async function nextVersion() {
  vi.resetModules();
  const models = await import('../read-model.js');
  Object.assign(models.accounts, { schema: accounts.schema + 1 });
  const next = { ...models, ...(await import('./projector.js')), ...(await import('./projection.js')) };
  return { ...next, ...(await import('../loading/stream-loader.js')), ...(await import('../sqlite/index.js')) };
}

it('a higher schema number makes new documents from the beginning of the feed, beside those of the running version', async () => {
  const running = new EmbeddedProjections();
  await running.append(accountStream(7), registered('ann'));
  await running.append(accountStream(7), renamed('ann', 'anna'));
  await running.newProjector().catchUp();

  const next = await nextVersion();
  expect(next.projectorName).not.toBe(projectorName);
  const views = new SqliteFile(running.views.path, { version: 1, synchronous: 'NORMAL', sql: next.readModelTables });
  const readModels = new next.SqliteReadModelStore(views);
  expect((await readModels.list(next.accounts, 0, 10)).total).toBe(0);

  const projection = new next.Projection(new next.StreamLoader(running.store, readModels), readModels, () => 0);
  const leases = new SqliteFeedLeases(views);
  await new next.Projector(running.store, projection, leases, () => undefined).catchUp();
  expect((await readModels.list(next.accounts, 0, 10)).items).toMatchObject([{ username: 'anna' }]);

  // The running version keeps its own documents and its own place in the feed.
  await running.append(accountStream(8), registered('bea', { accountId: 8 }));
  expect((await readModels.list(next.accounts, 0, 10)).total).toBe(1);
  await running.newProjector().catchUp();
  expect((await running.readModels.list(accounts, 0, 10)).total).toBe(2);
  expect((await readModels.list(next.accounts, 0, 10)).total).toBe(1);
  expect(tablesOf(views, 'accounts_%')).toEqual(['accounts_2', 'accounts_3']);
  expect(tablesOf(views, 'ssh_key_rings_%')).toEqual([`ssh_key_rings_${sshKeyRings.schema}`]);
  await views.close();
});

const tablesOf = (views: SqliteFile, pattern: string) =>
  views
    .read("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ? ORDER BY name", pattern)
    .map(({ name }) => name);
