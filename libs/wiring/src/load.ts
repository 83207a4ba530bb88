import type { DynamicModule } from '@nestjs/common';
import type { BrokerModuleSettings, BrokerOptions } from './rabbitmq/broker.js';
import type { EmbeddedStoreSettings } from './sqlite/sqlite-store.module.js';
import type { JoinableStore } from './sqlite/store-sharing.js';
import type { FillingStore, OpenSqliteStore, OpenStore } from './stores/store-adapters.js';
import type { StartupContext } from './stores/until-available.js';

// A driver costs startup time and memory, so each function loads the one that it needs.

/** Opens the embedded store and its secrets for this process, which owns the folder. Throws `FolderInUse`, `UnusableFile`, `InvalidConfiguration`. */
export const loadEmbeddedStoreModule = async (settings: EmbeddedStoreSettings): Promise<DynamicModule> =>
  (await import('./sqlite/sqlite-store.module.js')).EmbeddedStoreModule.forRoot(settings);

/** Connects a thread to the embedded store and its secrets, which another thread owns. */
export const loadJoinedStoreModule = async (store: JoinableStore): Promise<DynamicModule> =>
  (await import('./sqlite/sqlite-store.module.js')).JoinedStoreModule.forRoot(store);

/** See `MongoStoreModule.forRoot`. */
export const loadMongoStoreModule = async (uri: string, context: StartupContext): Promise<DynamicModule> =>
  (await import('./mongo/mongo-store.module.js')).MongoStoreModule.forRoot(uri, context);

/** Opens the embedded store for this process alone, without an application. Throws `FolderInUse`, `UnusableFile`. */
export const openSqliteStore = async (folder: string): Promise<OpenSqliteStore> =>
  (await import('./sqlite/sqlite-store.module.js')).openSqlite(folder);

/**
 * Connects to MongoDB, which other processes can use at the same time, without an application. `prepare` creates missing collections and
 * indexes; otherwise they must exist. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export const openMongoStore = async (uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenStore> =>
  (await import('./mongo/mongo-store.module.js')).openMongo(uri, options);

/**
 * Opens an empty MongoDB database, or one that the same command has begun to fill, and keeps every process from starting on it until `finish`.
 * `filler` names the command. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export const openMongoToFill = async (uri: string, filler: string): Promise<FillingStore> =>
  (await import('./mongo/mongo-store.module.js')).openToFill(uri, filler);

/** See `QueuesModule.forRoot`. */
export const loadQueuesModule = async (
  settings: BrokerModuleSettings,
  options?: BrokerOptions,
): Promise<DynamicModule> => (await import('./rabbitmq/queues.module.js')).QueuesModule.forRoot(settings, options);
