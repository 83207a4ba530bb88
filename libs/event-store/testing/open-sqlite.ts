import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { OpenStore } from './event-store.contract.js';
import { eventStoreSchema, SqliteCounter, SqliteEventStore } from '../src/sqlite/sqlite-event-store.js';
import { SqliteFile } from '../src/sqlite/sqlite-file.js';

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens the event store in the file `path`, which may exist already. */
export function openSqlite(path: string): OpenStore {
  let file = new SqliteFile(path, eventStoreSchema);
  const open = (): OpenStore => ({
    store: new SqliteEventStore(file),
    counter: new SqliteCounter(file),
    close: () => file.close(),
    reopen: async () => {
      await file.close();
      file = new SqliteFile(path, eventStoreSchema);
      return open();
    },
  });
  return open();
}
