import type { SharedFile } from '@keyfold/event-store/sqlite';
import type { Secrets } from '@keyfold/process';

/** The access of one more thread to the embedded store. The ports of its files must be transferred. */
export type SharedStore = Readonly<{ events: SharedFile; views: SharedFile }>;

/** The embedded store as one thread of the process passes it to another, with its secrets. */
export type JoinableStore = SharedStore & Readonly<{ secrets: Secrets }>;

/** Opens the embedded store for further threads of the process. A file of its own, because processes on MongoDB load it, too. */
export abstract class StoreSharing {
  /** Returns the store for one more thread, which passes it to `loadJoinedStoreModule`. */
  abstract share(): JoinableStore;
}
