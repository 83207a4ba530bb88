import { openMongoStore, openSqliteStore } from '@keyfold/wiring';
import {
  operatorPorts,
  type EmbeddedStoreOptions,
  type OperatorStore,
  type SharedStoreOptions,
} from './operator-adapters.js';

/** Opens the embedded store for this process alone. Throws `FolderInUse`, `UnusableFile`. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OperatorStore> {
  const { folder, sessionDays, sealingKeys, passwordRules } = options;
  const { adapters, close, sealingKeys: generated } = await openSqliteStore(folder);
  const ports = { isAlone: true, sessionDays, sealingKeys: () => sealingKeys ?? generated(), passwordRules };
  return { ports: operatorPorts(adapters, ports), close };
}

/** Connects to MongoDB beside whatever works on it. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`. */
export async function openSharedStore(uri: string, options: SharedStoreOptions): Promise<OperatorStore> {
  const { adapters, close } = await openMongoStore(uri, options);
  const ports = { ...options, isAlone: false, sealingKeys: () => options.sealingKeys ?? '' };
  return { ports: operatorPorts(adapters, ports), close };
}
