import { SqliteFile } from '@keyfold/event-store/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeParkedRelays } from '../relay/parked-relays.contract.js';
import { parkedRelaysTable, SqliteParkedRelays } from './sqlite-parked-relays.js';

const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
const file = new SqliteFile(join(folder, 'keyfold.db'), { version: 1, synchronous: 'FULL', sql: parkedRelaysTable });
afterAll(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
});

describeParkedRelays('SQLite', async () => new SqliteParkedRelays(file));
