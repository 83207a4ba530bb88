import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../../test/support/mongo/mongo-database.js';
import { MongoReadModelStore } from '../src/mongo/mongo-read-model-store.js';
import { projectionModels } from '../src/mongo/read-model.model.js';

/** A prepared database of its own, opened as one process does. */
export async function openReadModels(): Promise<{ uri: string; connection: Connection; store: MongoReadModelStore }> {
  const uri = freshDatabaseUri();
  const opened = await joinReadModels(uri);
  await migrateSchema(opened.connection, projectionModels(opened.connection));
  return { uri, ...opened };
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
