import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import mongoose from 'mongoose';
import { afterAll } from 'vitest';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { describeParkedRelays } from '../relay/parked-relays.contract.js';
import { MongoParkedRelays } from './mongo-parked-relays.js';
import { messagingModels } from './parked-relay.model.js';

describeParkedRelays('MongoDB', async () => {
  const connection = await mongoose.createConnection(freshDatabaseUri(), connectOptions).asPromise();
  afterAll(() => connection.close());
  await migrateSchema(connection, messagingModels(connection));
  return new MongoParkedRelays(connection);
});
