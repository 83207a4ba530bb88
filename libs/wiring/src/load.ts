import type { DynamicModule } from '@nestjs/common';
import type { BrokerModuleSettings, BrokerOptions } from './rabbitmq/broker.js';
import type { EmbeddedStoreSettings } from './sqlite/sqlite-store.module.js';
import type { JoinableStore } from './sqlite/store-sharing.js';
import type { OpenSqliteStore, OpenStore } from './stores/store-adapters.js';
import type { StartupContext } from './stores/until-available.js';

// A driver costs startup time and memory, so each function loads the one that it needs.

/** Opens the embedded store and its secrets for this process, which owns the folder. Throws `FolderInUse`, `UnusableFile`, `InvalidConfiguration`. */
export async function loadEmbeddedStoreModule(settings: EmbeddedStoreSettings): Promise<DynamicModule> {
  const { EmbeddedStoreModule } = await import('./sqlite/sqlite-store.module.js');
  return EmbeddedStoreModule.forRoot(settings);
}

/** Connects a thread to the embedded store and its secrets, which another thread owns. */
export async function loadJoinedStoreModule(store: JoinableStore): Promise<DynamicModule> {
  const { JoinedStoreModule } = await import('./sqlite/sqlite-store.module.js');
  return JoinedStoreModule.forRoot(store);
}

/** See `MongoStoreModule.forRoot`. */
export async function loadMongoStoreModule(uri: string, context: StartupContext): Promise<DynamicModule> {
  const { MongoStoreModule } = await import('./mongo/mongo-store.module.js');
  return MongoStoreModule.forRoot(uri, context);
}

/** Opens the embedded store for this process alone, without an application. Throws `FolderInUse`, `UnusableFile`. */
export async function openSqliteStore(folder: string): Promise<OpenSqliteStore> {
  const { openSqlite } = await import('./sqlite/sqlite-store.module.js');
  return openSqlite(folder);
}

/**
 * Connects to MongoDB, which other processes can use at the same time, without an application. `prepare` creates missing collections and
 * indexes; otherwise they must exist. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export async function openMongoStore(uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenStore> {
  const { openMongo } = await import('./mongo/mongo-store.module.js');
  return openMongo(uri, options);
}

/** See `QueuesModule.forRoot`. */
export async function loadQueuesModule(
  settings: BrokerModuleSettings,
  options?: BrokerOptions,
): Promise<DynamicModule> {
  const { QueuesModule } = await import('./rabbitmq/queues.module.js');
  return QueuesModule.forRoot(settings, options);
}
