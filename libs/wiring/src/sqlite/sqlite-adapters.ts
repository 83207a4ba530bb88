import { SqliteCounter, SqliteEventStore, SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { SqliteParkedAccounts } from '@keyfold/messaging/sqlite';
import { SqliteReadModelStore, SqliteTokenUses } from '@keyfold/projections/sqlite';
import { SqliteThrottleStore } from '@keyfold/security/sqlite';
import type { StoreAdapters } from '../stores/store-adapters.js';
import type { StoreConnections } from './store-connections.js';

/** Returns the adapters of the embedded store for one thread. The relay's state is stored with the events, so that a restored backup has both. */
export function sqliteAdapters(store: StoreConnections): StoreAdapters {
  const events = new SqliteEventStore(store.events);
  return {
    store: events,
    feed: events,
    history: events,
    compaction: events,
    counter: new SqliteCounter(store.events),
    readModels: new SqliteReadModelStore(store.views),
    tokenUses: new SqliteTokenUses(store.views),
    leases: new SqliteFeedLeases(store.views),
    relayLeases: new SqliteFeedLeases(store.events),
    parkedRelays: new SqliteParkedAccounts(store.events),
    throttle: new SqliteThrottleStore(store.views),
    check: store,
  };
}
