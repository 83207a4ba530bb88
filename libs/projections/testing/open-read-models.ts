import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { emptySharedDatabase, sharedUri } from '../../event-store/testing/shared-database.js';
import { MongoReadModelStore } from '../src/mongo/mongo-read-model-store.js';
import { projectionModels } from '../src/mongo/read-model.model.js';

/** Opens an empty, migrated database as one process does. */
export async function openReadModels(): Promise<{ uri: string; connection: Connection; store: MongoReadModelStore }> {
  const opened = await joinReadModels(sharedUri);
  await emptySharedDatabase(opened.connection, projectionModels(opened.connection));
  return { uri: sharedUri, ...opened };
}

/** Another process on the same data. */
export async function joinReadModels(uri: string): Promise<{ connection: Connection; store: MongoReadModelStore }> {
  const connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  const store = new MongoReadModelStore(connection);
  onTestFinished(async () => {
    await store.close();
    await connection.close();
  });
  return { connection, store };
}
