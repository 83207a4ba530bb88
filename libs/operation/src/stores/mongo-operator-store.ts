import { migrateSchema, MongoEventStore, MongoFeedLeases, requireSchema } from '@keyfold/event-store/mongo';
import { MongoParkedAccounts } from '@keyfold/messaging/mongo';
import { MongoReadModelStore } from '@keyfold/projections/mongo';
import mongoose from 'mongoose';
import { mongoModels } from './mongo-store.module.js';
import { openConnection } from './open-connection.js';
import { operatorPorts, type OperatorStore, type SharedStoreOptions } from './operator-adapters.js';

/** See `openSharedStore`. */
export async function openShared(uri: string, options: SharedStoreOptions): Promise<OperatorStore> {
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
    parkedRelays: new MongoParkedAccounts(connection),
  };
  return {
    ports: operatorPorts(adapters, { ...options, isAlone: false, sealingKeys: () => options.sealingKeys ?? '' }),
    async close() {
      await Promise.all([adapters.store.close(), adapters.readModels.close()]);
      await connection.close();
    },
  };
}
