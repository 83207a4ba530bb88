import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { emptySharedDatabase, sharedUri } from '../../event-store/testing/shared-database.js';
import { MongoThrottleStore, throttleModels } from '../src/mongo/index.js';

type Joined = { connection: Connection; store: MongoThrottleStore };

/** Opens counters in an empty, migrated database. `join` opens the same counters as another process. */
export async function openMongoThrottle(): Promise<Joined & { join(): Promise<Joined> }> {
  const join = async () => {
    const connection = await mongoose
      .createConnection(sharedUri, { ...connectOptions, monitorCommands: true })
      .asPromise();
    onTestFinished(() => connection.close());
    return { connection, store: new MongoThrottleStore(connection) };
  };
  const opened = await join();
  await emptySharedDatabase(opened.connection, throttleModels(opened.connection));
  return { ...opened, join };
}
