import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../../test/support/mongo/mongo-database.js';
import { MongoThrottleStore, throttleModels } from '../src/mongo/index.js';

type Joined = { connection: Connection; store: MongoThrottleStore };

/** Opens counters in a new, migrated database. `join` opens the same counters as another process. */
export async function openMongoThrottle(): Promise<Joined & { join(): Promise<Joined> }> {
  const uri = freshDatabaseUri();
  const join = async () => {
    const connection = await mongoose.createConnection(uri, { ...connectOptions, monitorCommands: true }).asPromise();
    onTestFinished(() => connection.close());
    return { connection, store: new MongoThrottleStore(connection) };
  };
  const opened = await join();
  await migrateSchema(opened.connection, throttleModels(opened.connection));
  return { ...opened, join };
}
