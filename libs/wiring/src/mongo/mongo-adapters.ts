import { MongoCounter, MongoEventStore, MongoFeedLeases } from '@keyfold/event-store/mongo';
import { MongoParkedAccounts } from '@keyfold/messaging/mongo';
import { MongoReadModelStore, MongoTokenUses } from '@keyfold/projections/mongo';
import { MongoThrottleStore } from '@keyfold/security/mongo';
import type { Connection } from 'mongoose';
import type { StoreAdapters } from '../stores/store-adapters.js';
import { MongoCheck } from './mongo-check.js';

/** Returns the adapters of the shared store. The connection must be open. */
export function mongoAdapters(connection: Connection): StoreAdapters {
  const events = new MongoEventStore(connection);
  return {
    store: events,
    feed: events,
    history: events,
    compaction: events,
    counter: new MongoCounter(connection),
    readModels: new MongoReadModelStore(connection),
    tokenUses: new MongoTokenUses(connection),
    leases: new MongoFeedLeases(connection),
    relayLeases: new MongoFeedLeases(connection),
    parkedRelays: new MongoParkedAccounts(connection),
    throttle: new MongoThrottleStore(connection),
    check: new MongoCheck(connection),
  };
}
