import mongoose, { type Connection } from 'mongoose';
import { inject, onTestFinished } from 'vitest';
import { databaseUri, freshDatabaseUri } from '../../../test/support/mongo/mongo-database.js';
import { eventStoreModels } from '../src/mongo/commit.model.js';
import { connectOptions } from '../src/mongo/mongo-connection.js';
import { feedModels, MongoFeedLeases } from '../src/mongo/feed/mongo-feed-leases.js';
import { MongoCounter, MongoEventStore } from '../src/mongo/mongo-event-store.js';
import { MongoIntake } from '../src/mongo/mongo-intake.js';
import { migrateSchema } from '../src/mongo/mongo-schema.js';
import type { OpenStore } from './event-store.contract.js';

/** How long a change stream may take to open, in milliseconds. */
const SIGNAL_DELAY = 10_000;

/** Migrates a new database and opens it. */
export async function openMongo(uri = freshDatabaseUri()): Promise<OpenStore & { connection: Connection }> {
  const connection = await connect(uri);
  await migrateSchema(connection, eventStoreModels(connection));
  const other = await connect(uri);
  const elsewhere = new MongoEventStore(other);
  let close = async () => {};
  const openOn = (current: Connection): OpenStore & { connection: Connection } => {
    const store = new MongoEventStore(current);
    close = async () => {
      await store.close();
      await current.close();
    };
    return {
      connection: current,
      store,
      counter: new MongoCounter(current),
      intake: new MongoIntake(current),
      elsewhere,
      signalDelay: SIGNAL_DELAY,
      close: async () => {
        await close();
        await elsewhere.close();
        await other.close();
      },
      reopen: async () => {
        await close();
        return openOn(await connect(uri));
      },
    };
  };
  return openOn(connection);
}

/** Opens a store of 64 slots and the leases of its feed. Closes them after the test. */
export async function openMongoFeed() {
  const { store, connection, close } = await openMongo();
  onTestFinished(close);
  await migrateSchema(connection, feedModels(connection));
  return { store, connection, leases: new MongoFeedLeases(connection) };
}

export const connect = (uri: string) => mongoose.createConnection(uri, connectOptions).asPromise();

/** Opens a second connection to the same database, like another process. It is closed after the test. */
export async function anotherProcess({ name }: Connection): Promise<Connection> {
  const connection = await connect(databaseUri(inject('mongodbUri'), name));
  onTestFinished(() => connection.close());
  return connection;
}
