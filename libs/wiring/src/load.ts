import type { DynamicModule } from '@nestjs/common';
import type { BrokerModuleSettings, BrokerOptions } from './rabbitmq/broker.js';
import type { EmbeddedStoreSettings } from './sqlite/sqlite-store.module.js';
import type { JoinableStore } from './sqlite/store-sharing.js';
import type { FillingStore, OpenLog, OpenSqliteStore, OpenStore } from './stores/store-adapters.js';
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
 * Opens a new store in an empty data folder, in which only secrets may be. Its files are in a folder of their own, `<filler>.part`, until
 * `finish` moves them into place. `startOver`: what an earlier run left there is deleted. Throws `FolderInUse`, `InvalidConfiguration`.
 */
export const openSqliteToFill = async (
  folder: string,
  filler: string,
  options?: Readonly<{ startOver: boolean }>,
): Promise<FillingStore> => (await import('./sqlite/filling-store.js')).openToFill(folder, filler, options);

/**
 * Keeps every process from opening a folder until the function that it returns is called. Throws `FolderInUse` if one has it open, and
 * `UnusableFolder`.
 */
export const lockFolder = async (folder: string): Promise<() => void> => {
  const lock = (await import('./sqlite/data-folder.js')).lockOf(folder);
  return () => lock.release();
};

/** Opens the log of the embedded store for reading, also beside the process that owns it. Throws `UnusableFile`. */
export const openSqliteLog = async (folder: string): Promise<OpenLog> =>
  (await import('./sqlite/embedded-store.js')).openLog(folder);

/**
 * Connects to MongoDB, which other processes can use at the same time, without an application. `prepare` creates missing collections and
 * indexes; otherwise they must exist. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export const openMongoStore = async (uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenStore> =>
  (await import('./mongo/mongo-store.module.js')).openMongo(uri, options);

/**
 * Opens an empty MongoDB database, or one that the same command has begun to fill, and keeps every process from starting on it until `finish`.
 * `filler` names the command. `startOver`: it deletes what it has written before. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`.
 */
export const openMongoToFill = async (
  uri: string,
  filler: string,
  options?: Readonly<{ startOver: boolean }>,
): Promise<FillingStore> => (await import('./mongo/mongo-store.module.js')).openToFill(uri, filler, options);

/** See `QueuesModule.forRoot`. */
export const loadQueuesModule = async (
  settings: BrokerModuleSettings,
  options?: BrokerOptions,
): Promise<DynamicModule> => (await import('./rabbitmq/queues.module.js')).QueuesModule.forRoot(settings, options);
