import { migrateSchema, requireSchema } from '@keyfold/event-store/mongo';
import mongoose from 'mongoose';
import type { OpenStore } from '../stores/store-adapters.js';
import { mongoAdapters } from './mongo-adapters.js';
import { mongoModels } from './mongo-models.js';
import { openConnection } from './open-connection.js';

/** See `openMongoStore` of `open-store.ts`. */
export async function openMongo(uri: string, options: Readonly<{ prepare: boolean }>): Promise<OpenStore> {
  const connection = mongoose.createConnection();
  try {
    await openConnection(connection, uri);
    await (options.prepare ? migrateSchema : requireSchema)(connection, mongoModels(connection));
  } catch (error) {
    await connection.close();
    throw error;
  }
  const adapters = mongoAdapters(connection);
  return {
    adapters,
    async close() {
      await Promise.all([adapters.store.close(), adapters.readModels.close()]);
      await connection.close();
    },
  };
}
