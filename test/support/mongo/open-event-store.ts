import { connectOptions, eventStoreModels, migrateSchema, MongoEventStore } from '@keyfold/event-store/mongo';
import mongoose from 'mongoose';
import { onTestFinished } from 'vitest';

/** Opens an event store on a prepared database, like a process. Closes it after the running test. */
export async function openEventStore(uri: string): Promise<MongoEventStore> {
  const connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  await migrateSchema(connection, eventStoreModels(connection));
  const store = new MongoEventStore(connection);
  onTestFinished(async () => {
    await store.close();
    await connection.close();
  });
  return store;
}
