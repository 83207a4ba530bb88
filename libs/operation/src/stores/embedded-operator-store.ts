import { FolderLock, SqliteEventStore, SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { SqliteParkedAccounts } from '@keyfold/messaging/sqlite';
import { SqliteReadModelStore } from '@keyfold/projections/sqlite';
import { generatedSealingKey, protectDataFiles } from './data-folder.js';
import { EmbeddedStore } from './embedded-store.module.js';
import { operatorPorts, type EmbeddedStoreOptions, type OperatorStore } from './operator-adapters.js';

/** See `openEmbeddedStore`. */
export function openEmbedded({ folder, sessionDays, sealingKeys, passwordRules }: EmbeddedStoreOptions): OperatorStore {
  const lock = new FolderLock(folder);
  try {
    protectDataFiles(folder);
    const files = new EmbeddedStore(folder, lock);
    const adapters = {
      store: new SqliteEventStore(files.events),
      readModels: new SqliteReadModelStore(files.views),
      leases: new SqliteFeedLeases(files.views),
      relayLeases: new SqliteFeedLeases(files.events),
      parkedRelays: new SqliteParkedAccounts(files.events),
    };
    return {
      ports: operatorPorts(adapters, {
        isAlone: true,
        sessionDays,
        sealingKeys: () => sealingKeys ?? generatedSealingKey(folder),
        passwordRules,
      }),
      close: () => files.onApplicationShutdown(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
