import type { Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { eventStoreModels } from '../src/mongo/commit.model.js';
import { MongoEventStore } from '../src/mongo/mongo-event-store.js';
import { connect } from './open-mongo.js';
import { emptySharedDatabase, sharedUri } from './shared-database.js';

type Opened = Readonly<{ connection: Connection; here: MongoEventStore; elsewhere: MongoEventStore }>;

/** Opens an empty event store in two processes, and closes both after the test. */
export async function openTwoProcesses(): Promise<Opened> {
  const [connection, other] = [await connect(sharedUri), await connect(sharedUri)];
  await emptySharedDatabase(connection, eventStoreModels(connection));
  const [here, elsewhere] = [new MongoEventStore(connection), new MongoEventStore(other)];
  onTestFinished(async () => {
    await Promise.all([here.close(), elsewhere.close()]);
    await Promise.all([connection.close(), other.close()]);
  });
  return { connection, here, elsewhere };
}
