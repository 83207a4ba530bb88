import { SqliteConnection, SqliteFile } from '@keyfold/event-store/sqlite';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sharedWriter, temporaryFolder } from '../../event-store/testing/open-sqlite.js';
import { SqliteThrottleStore, throttleTable } from '../src/sqlite/index.js';

const schema = { version: 1, synchronous: 'NORMAL', sql: throttleTable } as const;

/** Opens counters in `path`, by default in a new temporary folder. The file is closed after the test. */
export function openThrottle(path = join(temporaryFolder(), 'views.db')): {
  file: SqliteFile;
  store: SqliteThrottleStore;
} {
  const file = new SqliteFile(path, schema, sharedWriter());
  onTestFinished(() => file.close());
  return { file, store: new SqliteThrottleStore(file) };
}

/** Returns a connection to the file as another thread has it. It is closed after the test. */
export function connectTo(file: SqliteFile): SqliteConnection {
  const connection = new SqliteConnection(file.share());
  onTestFinished(() => connection.close());
  return connection;
}
