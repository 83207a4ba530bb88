import type { OpenSqliteStore, OpenStore } from './stores/store-adapters.js';

// Only the used store is loaded, because the driver of the other one costs startup time and memory.

/** Opens the embedded store for this process alone. Throws `FolderInUse`, `UnusableFile`. */
export async function openSqliteStore(folder: string): Promise<OpenSqliteStore> {
  const { openSqlite } = await import('./sqlite/open-sqlite-store.js');
  return openSqlite(folder);
}

/**
 * Connects to MongoDB, which other processes can use at the same time. `prepare` creates missing collections and indexes; otherwise they
 * must exist. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export async function openMongoStore(uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenStore> {
  const { openMongo } = await import('./mongo/open-mongo-store.js');
  return openMongo(uri, options);
}
