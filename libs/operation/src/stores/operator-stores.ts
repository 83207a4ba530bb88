import type { OperatorStore, SharedStoreOptions } from './operator-adapters.js';

/** Opens the embedded store for this process alone; it asks for no secrets. Throws `FolderInUse`, `UnusableFile`. */
export async function openEmbeddedStore(folder: string, sessionDays: number): Promise<OperatorStore> {
  const { openEmbedded } = await import('./embedded-operator-store.js');
  return openEmbedded(folder, sessionDays);
}

/**
 * Connects to MongoDB beside whatever works on it; it asks for no secrets. Throws `InvalidConfiguration`, `UnusableDatabase`,
 * `StoreUnavailable`.
 */
export async function openSharedStore(uri: string, options: SharedStoreOptions): Promise<OperatorStore> {
  const { openShared } = await import('./mongo-operator-store.js');
  return openShared(uri, options);
}
