import mongoose, { type mongo } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { StoreUnavailable } from '../event-store.errors.js';
import { connectOptions, reaching } from './mongo-connection.js';

it('an operation is attempted at most twice, and an overloaded server counts as unavailable', async () => {
  const set = await ReplicaSet.start(1, { testCommands: true });
  onTestFinished(() => set.stop());
  const options = { ...connectOptions, monitorCommands: true };
  const connection = await mongoose.createConnection(set.uri('keyfold'), options).asPromise();
  onTestFinished(() => connection.close());
  await set.node(0).command({
    configureFailPoint: 'failCommand',
    mode: 'alwaysOn',
    data: { failCommands: ['find'], errorCode: 462, errorLabels: ['SystemOverloadedError', 'RetryableError'] },
  });
  const client = connection.getClient();
  const attempts: string[] = [];
  client.on('commandStarted', ({ commandName }: mongo.CommandStartedEvent) => attempts.push(commandName));
  const find = () => client.db('keyfold').collection('commits').findOne();
  await expect(reaching(find)).rejects.toThrow(StoreUnavailable);
  expect(attempts).toEqual(['find', 'find']);
});
