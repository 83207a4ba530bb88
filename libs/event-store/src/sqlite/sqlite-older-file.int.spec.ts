import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newCommit } from '../../testing/new-commit.js';
import { readStream } from '../../testing/outcome.js';
import { openSqlite, temporaryFolder } from '../../testing/open-sqlite.js';
import { eventStoreSchema } from './sqlite-event-store.js';

/** How programs before the columns `session` and `client_correlation` append. */
const OLD_INSERT = `
  INSERT INTO commits (position, partition, stream, version, command_id, command_type, command_hash, at, actor,
    correlation, causation, traceparent, events, holds)
  VALUES (?, '7', 'account-7', ?, ?, 'SetPassword', '', 0, 'operator', 'request-0', NULL, NULL, '[]', NULL)`;

/** A file of such a program, with its first commit. */
function olderFile(): string {
  const path = join(temporaryFolder(), 'keyfold.db');
  const database = new DatabaseSync(path);
  database.exec(`${eventStoreSchema.sql}; PRAGMA user_version = ${eventStoreSchema.version}`);
  database.prepare(OLD_INSERT).run(1, 1, 'command-1');
  database.close();
  return path;
}

function opened(path: string) {
  const { store, close } = openSqlite(path);
  onTestFinished(close);
  return { store, close };
}

describe('a file of an older program', () => {
  it('stays readable, and new commits name their session and the id of the client', async () => {
    const { store } = opened(olderFile());
    const [old] = await readStream(store, 'account-7');
    expect(old).toMatchObject({ version: 1, actor: 'operator', correlation: 'request-0' });
    expect(old).not.toHaveProperty('session');
    expect(old).not.toHaveProperty('clientCorrelation');
    const commit = newCommit('account-7', 2, { session: 'session-1', clientCorrelation: 'client-1' });
    await store.append(commit);
    expect((await readStream(store, 'account-7'))[1]).toMatchObject(commit);
  });

  it('can still be written by the older program', async () => {
    const path = olderFile();
    await opened(path).close();
    const database = new DatabaseSync(path);
    database.prepare(OLD_INSERT).run(2, 2, 'command-2');
    database.close();
    expect(await readStream(opened(path).store, 'account-7')).toHaveLength(2);
  });
});
