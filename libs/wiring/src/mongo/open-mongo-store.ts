import { migrateSchema, MongoEventStore, MongoFeedLeases, requireSchema } from '@keyfold/event-store/mongo';
import { MongoParkedRelays } from '@keyfold/messaging/mongo';
import { MongoReadModelStore } from '@keyfold/projections/mongo';
import mongoose from 'mongoose';
import type { OpenedStore } from '../stores/opened-store.js';
import { mongoModels } from './mongo-store.module.js';
import { openConnection } from './open-connection.js';

/** See `openMongoStore` of `open-store.ts`. */
export async function openMongo(uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenedStore> {
  const connection = mongoose.createConnection();
  try {
    await openConnection(connection, uri);
    await (options.prepare ? migrateSchema : requireSchema)(connection, mongoModels(connection));
  } catch (error) {
    await connection.close();
    throw error;
  }
  const adapters = {
    store: new MongoEventStore(connection),
    readModels: new MongoReadModelStore(connection),
    leases: new MongoFeedLeases(connection),
    relayLeases: new MongoFeedLeases(connection),
    parkedRelays: new MongoParkedRelays(connection),
  };
  return {
    adapters,
    async close() {
      await Promise.all([adapters.store.close(), adapters.readModels.close()]);
      await connection.close();
    },
  };
}
