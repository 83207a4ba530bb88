import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { describeParkedAccounts } from '../../testing/parked-accounts.contract.js';
import { messagingModels, MongoParkedAccounts } from './mongo-parked-accounts.js';

let connection: mongoose.Connection | undefined;
afterAll(() => connection?.close());

for (const name of ['parked_relays', 'parked_mirrors'] as const)
  describeParkedAccounts(`MongoDB's ${name}`, async () => {
    connection ??= await mongoose.createConnection(freshDatabaseUri(), connectOptions).asPromise();
    await migrateSchema(connection, messagingModels(connection));
    return new MongoParkedAccounts(connection, name);
  });

it('reads wait until a new primary shows all acknowledged writes', async () => {
  const options = { ...connectOptions, monitorCommands: true };
  const connection = await mongoose.createConnection(freshDatabaseUri(), options).asPromise();
  onTestFinished(() => connection.close());
  const parked = new MongoParkedAccounts(connection, 'parked_relays');
  const commands: string[] = [];
  connection
    .getClient()
    .on('commandStarted', ({ commandName }: mongo.CommandStartedEvent) => commands.push(commandName));
  for (let reads = 0; reads < 2; reads++) await parked.all(0);
  expect(commands).toEqual(['update', 'find', 'find']);
});
