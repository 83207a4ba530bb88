import mongoose, { type Connection, type mongo } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase, freshDatabaseUri } from '../../../../../test/support/mongo/mongo-database.js';
import { describeFeedLeases, describeSharedFeedLeases } from '../../../testing/feed-leases.contract.js';
import { connectOptions } from '../mongo-connection.js';
import { migrateSchema } from '../mongo-schema.js';
import { feedModels, MongoFeedLeases } from './mongo-feed-leases.js';

async function prepared(): Promise<Connection> {
  const connection = await freshDatabase();
  await migrateSchema(connection, feedModels(connection));
  return connection;
}
const open = async () => new MongoFeedLeases(await prepared());

describeFeedLeases('MongoDB', open);
describeSharedFeedLeases('MongoDB', open);

it('the server removes expired members', async () => {
  const connection = await prepared();
  const indexes = await connection.collection('feed_members').indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { until: 1 }, expireAfterSeconds: 0 }));
});

it('joining takes two operations and renewing any number of slots two', async () => {
  const options = { ...connectOptions, monitorCommands: true };
  const connection = await mongoose.createConnection(freshDatabaseUri(), options).asPromise();
  onTestFinished(() => connection.close());
  const leases = new MongoFeedLeases(connection);
  const client = connection.getClient();
  const commands: string[] = [];
  client.on('commandStarted', ({ commandName }: mongo.CommandStartedEvent) => commands.push(commandName));
  await leases.join('reader', 'ann', 60_000);
  expect(commands.splice(0)).toEqual(['update', 'find']);
  const slots = Array.from({ length: 64 }, (_, slot) => slot);
  expect(await leases.take('reader', 'ann', slots, 60_000)).toHaveLength(64);
  expect(commands.splice(0)).toEqual(['update', 'find']);
});
