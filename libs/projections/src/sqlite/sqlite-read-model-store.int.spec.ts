import { SqliteConnection, SqliteFile } from '@keyfold/event-store/sqlite';
import { onTestFinished } from 'vitest';
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
