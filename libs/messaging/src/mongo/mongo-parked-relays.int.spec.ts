import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { describeParkedRelays } from '../relay/parked-relays.contract.js';
import { MongoParkedRelays } from './mongo-parked-relays.js';
import { messagingModels } from './parked-relay.model.js';

let connection: mongoose.Connection;
afterAll(() => connection?.close());

describeParkedRelays('MongoDB', async () => {
  connection = await mongoose.createConnection(freshDatabaseUri(), connectOptions).asPromise();
  await migrateSchema(connection, messagingModels(connection));
  return new MongoParkedRelays(connection);
});

it('reading from a new primary waits until it shows what was acknowledged before', async () => {
  const options = { ...connectOptions, monitorCommands: true };
  const connection = await mongoose.createConnection(freshDatabaseUri(), options).asPromise();
  onTestFinished(() => connection.close());
  const parked = new MongoParkedRelays(connection);
  const commands: string[] = [];
  connection
    .getClient()
    .on('commandStarted', ({ commandName }: mongo.CommandStartedEvent) => commands.push(commandName));
  for (let reads = 0; reads < 2; reads++) await parked.all(0);
  expect(commands).toEqual(['update', 'find', 'find']);
});
