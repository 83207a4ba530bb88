import type { EventStore, FeedLeases } from '@keyfold/event-store';
import type { ParkedRelays, RelayLeases } from '@keyfold/messaging';
import type { ReadModelStore } from '@keyfold/projections';

/** The adapters of a store. */
export type StoreAdapters = Readonly<{
  store: EventStore;
  readModels: ReadModelStore;
  leases: FeedLeases;
  relayLeases: RelayLeases;
  parkedRelays: ParkedRelays;
}>;

/** A store that was opened without a Nest application. */
export type OpenedStore = Readonly<{ adapters: StoreAdapters; close(): Promise<void> }>;

/** `sealingKeys` reads the sealing keys in the data folder. Throws `InvalidConfiguration`. */
export type OpenedSqliteStore = OpenedStore & Readonly<{ sealingKeys: () => string }>;
