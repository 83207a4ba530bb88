import type { EmbeddedStoreOptions, OperatorStore, SharedStoreOptions } from './operator-adapters.js';

/** Opens the embedded store for this process alone. Throws `FolderInUse`, `UnusableFile`. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OperatorStore> {
  const { openEmbedded } = await import('./embedded-operator-store.js');
  return openEmbedded(options);
}

/** Connects to MongoDB beside whatever works on it. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`. */
export async function openSharedStore(uri: string, options: SharedStoreOptions): Promise<OperatorStore> {
  const { openShared } = await import('./mongo-operator-store.js');
  return openShared(uri, options);
}
