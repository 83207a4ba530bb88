import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newCommit } from '../../testing/new-commit.js';
import { openSqlite, temporaryFolder } from '../../testing/open-sqlite.js';
import { eventStoreSchema, SqliteCounter, SqliteEventStore } from './sqlite-event-store.js';
import { SqliteSnapshot } from './sqlite-snapshot.js';

it('a snapshot shows the file as it was when it was opened, while others write', async () => {
  const path = join(temporaryFolder(), 'keyfold.db');
  const { store, counter, close } = openSqlite(path);
  await store.append(newCommit('account-1', 1));
  await counter.take('account', 5, 3);
  const file = new SqliteSnapshot(path, eventStoreSchema.version);
  const snapshot = new SqliteEventStore(file);

  await store.append(newCommit('account-1', 2));
  await store.compact(['account-1']);
  await counter.take('account', 5, 3);
  expect(await snapshot.readHeads()).toEqual(new Map([[0, 1]]));
  expect(await snapshot.readStreams([{ stream: 'account-1', version: 0 }])).toMatchObject([{ version: 1 }]);
  expect(await new SqliteCounter(file).read()).toEqual(new Map([['account', 8]]));
  await expect(snapshot.append(newCommit('account-1', 2))).rejects.toThrow('a snapshot cannot be written');

  await snapshot.close();
  await close();
});

it('a snapshot of a file of a later version is refused', async () => {
  const path = join(temporaryFolder(), 'keyfold.db');
  await openSqlite(path).close();
  expect(() => new SqliteSnapshot(path, eventStoreSchema.version - 1)).toThrow('only supports schema 0');
});
