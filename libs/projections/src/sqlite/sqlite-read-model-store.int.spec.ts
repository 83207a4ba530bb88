import { SqliteFile } from '@keyfold/event-store/sqlite';
import { onTestFinished } from 'vitest';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { describeReadModelStore } from '../../testing/read-model-store.contract.js';
import { readModelTables, SqliteReadModelStore } from './sqlite-read-model-store.js';

describeReadModelStore('SQLite', async () => {
  const { views, readModels: store } = new EmbeddedProjections();
  return {
    store,
    reopen: async () => {
      await store.close();
      const file = new SqliteFile(views.path, { version: 1, synchronous: 'NORMAL', sql: readModelTables });
      onTestFinished(() => file.close());
      return new SqliteReadModelStore(file);
    },
  };
});
