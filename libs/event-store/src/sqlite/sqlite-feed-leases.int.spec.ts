import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeFeedLeases } from '../../testing/feed-leases.contract.js';
import { temporaryFolder } from '../../testing/open-sqlite.js';
import { feedPositionsTable, SqliteFeedLeases } from './sqlite-feed-leases.js';
import { SqliteFile } from './sqlite-file.js';

const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
const files: SqliteFile[] = [];
afterAll(async () => {
  for (const file of files) await file.close();
  rmSync(folder, { recursive: true });
});

function openFile(path: string): SqliteFile {
  const file = new SqliteFile(path, { version: 1, synchronous: 'NORMAL', sql: feedPositionsTable });
  files.push(file);
  return file;
}

describeFeedLeases('SQLite', async () => new SqliteFeedLeases(openFile(join(folder, 'views.db'))));

it('positions survive the process, and the next one holds all slots', async () => {
  const path = join(temporaryFolder(), 'views.db');
  const before = openFile(path);
  const leases = new SqliteFeedLeases(before);
  const [lease] = await leases.take('projector', 'ann', [0]);
  await leases.advance(lease!, 4);
  await before.close();

  const next = new SqliteFeedLeases(openFile(path));
  expect(await next.progress('projector')).toEqual([{ slot: 0, position: 4, owner: undefined }]);
  expect(await next.take('projector', 'bea', [0])).toMatchObject([{ slot: 0, owner: 'bea', position: 4 }]);
});
