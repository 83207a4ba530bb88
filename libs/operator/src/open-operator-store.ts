import { openMongoStore, openSqliteStore } from '@keyfold/wiring';
import {
  createOperatorPorts,
  type EmbeddedStoreOptions,
  type OperatorStore,
  type SharedStoreOptions,
} from './create-operator-ports.js';

/** Opens the embedded store for this process alone. Throws `FolderInUse`, `UnusableFile`. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OperatorStore> {
  const { folder, sessionDays, sealingKeys, passwordRules } = options;
  const { adapters, close, sealingKeys: generated } = await openSqliteStore(folder);
  const ports = { isAlone: true, sessionDays, sealingKeys: () => sealingKeys ?? generated(), passwordRules };
  return { ports: createOperatorPorts(adapters, ports), close };
}

/** Connects to MongoDB, which other processes can use at the same time. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`. */
export async function openSharedStore(uri: string, options: SharedStoreOptions): Promise<OperatorStore> {
  const { adapters, close } = await openMongoStore(uri, options);
  const ports = { ...options, isAlone: false, sealingKeys: () => options.sealingKeys ?? '' };
  return { ports: createOperatorPorts(adapters, ports), close };
}
