import type { DynamicModule } from '@nestjs/common';
import type { ProcessContext } from '@keyfold/process';
import type { EmbeddedStoreSettings } from './sqlite/embedded-store.module.js';
import type { OpenSqliteStore, OpenStore } from './stores/store-adapters.js';

/** Only the store that is used is loaded: the driver of the other one costs time at every start, and memory. */

/** See `EmbeddedStoreModule.forRoot`. It brings the secrets along. */
export async function embeddedStore(settings: EmbeddedStoreSettings): Promise<DynamicModule> {
  const { EmbeddedStoreModule } = await import('./sqlite/embedded-store.module.js');
  return EmbeddedStoreModule.forRoot(settings);
}

/** See `MongoStoreModule.forRoot`. */
export async function mongoStore(uri: string, context: ProcessContext): Promise<DynamicModule> {
  const { MongoStoreModule } = await import('./mongo/mongo-store.module.js');
  return MongoStoreModule.forRoot(uri, context);
}

/** Opens the embedded store for this process alone. Throws `FolderInUse`, `UnusableFile`. */
export async function openSqliteStore(folder: string): Promise<OpenSqliteStore> {
  const { openSqlite } = await import('./sqlite/open-sqlite-store.js');
  return openSqlite(folder);
}

/**
 * Connects to MongoDB beside other processes. `prepare` creates missing collections and indexes, which must exist otherwise.
 * Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export async function openMongoStore(uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenStore> {
  const { openMongo } = await import('./mongo/open-mongo-store.js');
  return openMongo(uri, options);
}
