import type { NewCommit } from '@keyfold/event-store';
import { eventStoreSchema, SqliteEventStore, SqliteFile } from '@keyfold/event-store/sqlite';
import { join } from 'node:path';
import type { ProcessEnv, StandaloneProcess } from '../support/standalone-process.js';

/** Appends commits to the store of a service while it is stopped. */
export async function appendCommits(
  app: StandaloneProcess,
  commits: readonly NewCommit[],
  env: ProcessEnv = {},
): Promise<void> {
  await app.stop();
  const store = new SqliteEventStore(new SqliteFile(join(app.dataDir, 'keyfold.db'), eventStoreSchema));
  await Promise.all(commits.map((commit) => store.append(commit)));
  await store.close();
  await app.restart(env);
}
