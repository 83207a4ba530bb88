import { SqliteConnection, SqliteFile } from '@keyfold/event-store/sqlite';
import { onTestFinished } from 'vitest';
import { OtherThread } from '../../../event-store/testing/other-thread.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { describeReadModelStore, type OpenReadModels } from '../../testing/read-model-store.contract.js';
import { readModelTables, SqliteReadModelStore } from './sqlite-read-model-store.js';

describeReadModelStore('SQLite', async () => {
  const { views, readModels } = new EmbeddedProjections();
  return open(views, readModels);
});

describeReadModelStore('SQLite on a further connection', async () => {
  const { views } = new EmbeddedProjections();
  const connection = new SqliteConnection(views.share());
  onTestFinished(() => connection.close());
  return open(views, new SqliteReadModelStore(connection));
});

describeReadModelStore('SQLite in two threads', async () => {
  const { views, readModels } = new EmbeddedProjections();
  const other = new OtherThread(views, new URL('sqlite-read-model-store.ts', import.meta.url));
  onTestFinished(() => other.close());
  const reading = ['get', 'list', 'documents', 'parked'] as const;
  const writing = ['put', 'replace', 'remove', 'park', 'unpark'] as const;
  return open(views, other.alternating(readModels, [...reading, ...writing]));
});

function open(views: SqliteFile, store: SqliteReadModelStore): OpenReadModels {
  return {
    store,
    reopen: async () => {
      await store.close();
      await views.close();
      const file = new SqliteFile(views.path, { version: 1, synchronous: 'NORMAL', sql: readModelTables });
      onTestFinished(() => file.close());
      return new SqliteReadModelStore(file);
    },
  };
}
