import { reasonOf } from '@keyfold/reporting';
import { MongoCounter, MongoEventStore, MongoFeedLeases, MongoIntake } from '@keyfold/event-store/mongo';
import { MongoParkedAccounts } from '@keyfold/messaging/mongo';
import { MongoReadModelStore, MongoTokenUses } from '@keyfold/projections/mongo';
import { MongoLoginHours, MongoThrottleStore } from '@keyfold/security/mongo';
import type { Connection } from 'mongoose';
import { StoreCheck, type StoreAdapters } from '../stores/store-adapters.js';

/** Returns the adapters of the shared store. The connection must be open. */
export function mongoAdapters(connection: Connection): StoreAdapters {
  const events = new MongoEventStore(connection);
  return {
    kind: 'mongodb',
    store: events,
    feed: events,
    history: events,
    compaction: events,
    counter: new MongoCounter(connection),
    intake: new MongoIntake(connection),
    readModels: new MongoReadModelStore(connection),
    tokenUses: new MongoTokenUses(connection),
    leases: new MongoFeedLeases(connection),
    relayLeases: new MongoFeedLeases(connection),
    parkedRelays: new MongoParkedAccounts(connection, 'parked_relays'),
    parkedMirrors: new MongoParkedAccounts(connection, 'parked_mirrors'),
    loginHours: new MongoLoginHours(connection),
    throttle: new MongoThrottleStore(connection),
    check: new MongoCheck(connection),
  };
}

/** How long the primary may take to answer (milliseconds); shorter than the timeout of a readiness check. */
const PING_TIMEOUT = 1_500;

/** Pings the primary, because nothing works without one. */
export class MongoCheck extends StoreCheck {
  #lastFailure = '';

  constructor(private readonly connection: Connection) {
    super();
    const client = connection.getClient();
    client.on('serverHeartbeatFailed', ({ failure }) => (this.#lastFailure = `: ${reasonOf(failure)}`));
    client.on('serverHeartbeatSucceeded', () => (this.#lastFailure = ''));
  }

  /** Throws an error with the last heartbeat failure. */
  async run(): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('no primary answers')), PING_TIMEOUT);
    try {
      const options = { readPreference: 'primary', signal: late.signal } as const;
      await this.connection.getClient().db('admin').command({ ping: 1 }, options);
    } catch (error) {
      throw new Error(`MongoDB is not available: ${reasonOf(error)}${this.#lastFailure}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
