import { FolderLock, SqliteEventStore, SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { SqliteParkedRelays } from '@keyfold/messaging/sqlite';
import { SqliteReadModelStore } from '@keyfold/projections/sqlite';
import type { OpenedSqliteStore } from '../stores/opened-store.js';
import { generatedSealingKey, protectDataFiles } from './data-folder.js';
import { EmbeddedStore } from './embedded-store.module.js';

/** See `openSqliteStore` of `open-store.ts`. */
export function openSqlite(folder: string): OpenedSqliteStore {
  const lock = new FolderLock(folder);
  try {
    protectDataFiles(folder);
    const files = new EmbeddedStore(folder, lock);
    return {
      adapters: {
        store: new SqliteEventStore(files.events),
        readModels: new SqliteReadModelStore(files.views),
        leases: new SqliteFeedLeases(files.views),
        relayLeases: new SqliteFeedLeases(files.events),
        parkedRelays: new SqliteParkedRelays(files.events),
      },
      sealingKeys: () => generatedSealingKey(folder),
      close: () => files.onApplicationShutdown(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
