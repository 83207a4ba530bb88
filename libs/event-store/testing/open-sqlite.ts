import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SqliteConnection } from '../src/sqlite/sqlite-connection.js';
import { eventStoreSchema, SqliteCounter, SqliteEventStore } from '../src/sqlite/sqlite-event-store.js';
import { SqliteIntake } from '../src/sqlite/sqlite-intake.js';
import { SqliteFile, SqliteWriterThread } from '../src/sqlite/sqlite-file.js';
import type { WholeStore } from './contract/contract-case.js';
import type { OpenStore } from './event-store.contract.js';

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let writer: SqliteWriterThread | undefined;

/** The writer for the tests of a spec file: a thread for each of them would cost more than most tests. */
export function sharedWriter(): SqliteWriterThread {
  if (!writer) {
    writer = new SqliteWriterThread();
    // It ends with its last file, and this one stays open.
    writer.open(':memory:', 'NORMAL');
  }
  return writer;
}

/** Opens the event store in the file `path`, which may exist already. `elsewhere` is connected to it as in another thread. */
export function openSqlite(path: string): OpenStore & Readonly<{ elsewhere: WholeStore }> {
  const file = new SqliteFile(path, eventStoreSchema);
  const connection = new SqliteConnection(file.share());
  const close = async () => {
    await connection.close();
    await file.close();
  };
  return {
    store: new SqliteEventStore(file),
    elsewhere: new SqliteEventStore(connection),
    // Both take from the same counters.
    counter: new SqliteCounter(connection),
    intake: new SqliteIntake(file),
    close,
    reopen: async () => {
      await close();
      return openSqlite(path);
    },
  };
}
