import { FolderLock } from '@keyfold/event-store/sqlite';
import type { OpenSqliteStore } from '../stores/store-adapters.js';
import { generatedSealingKey, protectDataFiles } from './data-folder.js';
import { EmbeddedStore } from './embedded-store.js';
import { sqliteAdapters } from './sqlite-adapters.js';

/** See `openSqliteStore` of `open-store.ts`. */
export function openSqlite(folder: string): OpenSqliteStore {
  const lock = new FolderLock(folder);
  try {
    protectDataFiles(folder);
    const store = new EmbeddedStore(folder, lock);
    return {
      adapters: sqliteAdapters(store),
      sealingKeys: () => generatedSealingKey(folder),
      close: () => store.onApplicationShutdown(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
