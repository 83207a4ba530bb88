import { SqliteFile } from '@keyfold/event-store/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeParkedAccounts } from '../../testing/parked-accounts.contract.js';
import { parkedAccountsTable, SqliteParkedAccounts } from './sqlite-parked-accounts.js';

const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
const tables = ['parked_relays', 'parked_mirrors'] as const;
const sql = tables.map((name) => parkedAccountsTable(name)).join('; ');
const file = new SqliteFile(join(folder, 'keyfold.db'), { version: 1, synchronous: 'FULL', sql });
afterAll(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
});

for (const name of tables) describeParkedAccounts(`SQLite's ${name}`, async () => new SqliteParkedAccounts(file, name));
