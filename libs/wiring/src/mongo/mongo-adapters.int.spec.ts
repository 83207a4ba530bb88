import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type mongo } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { MongoCheck } from './mongo-adapters.js';

it('a check of a hanging MongoDB leaves no pending operation', async () => {
  const set = await ReplicaSet.start(1);
  onTestFinished(() => set.stop());
  const connection = await mongoose.createConnection(set.uri('keyfold'), connectOptions).asPromise();
  onTestFinished(() => connection.close());
  const pings = new Set<number>();
  const client = connection.getClient();
  client.on(
    'connectionCheckedOut',
    ({ connectionId }: mongo.ConnectionCheckedOutEvent) => void pings.add(+connectionId),
  );
  client.on('connectionCheckedIn', ({ connectionId }: mongo.ConnectionCheckedInEvent) => pings.delete(+connectionId));
  const check = new MongoCheck(connection);
  await check.run();
  set.freeze(0);
  onTestFinished(() => set.thaw(0));
  // The signal reaches the threads of mongod one by one.
  const outcome = () => check.run().catch(({ message }: Error) => message);
  await expect.poll(outcome, { timeout: 20_000 }).toContain('MongoDB is not available: no primary answers');
  expect(pings.size).toBe(0);
  set.thaw(0);
  await expect.poll(() => check.run(), { timeout: 20_000 }).toBeUndefined();
});
