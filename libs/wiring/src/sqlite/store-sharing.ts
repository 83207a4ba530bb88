import type { Secrets } from '@keyfold/process';
import type { SharedStore } from './embedded-store.js';

/** The embedded store as one thread of the process passes it to another, with its secrets. The ports of its files must be transferred. */
export type JoinableStore = SharedStore & Readonly<{ secrets: Secrets }>;

/** Opens the embedded store for further threads of the process. */
export abstract class StoreSharing {
  /** Returns the store for one more thread, which passes it to `JoinedStoreModule`. */
  abstract share(): JoinableStore;
}
