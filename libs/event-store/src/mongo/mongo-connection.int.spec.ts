import mongoose, { type mongo } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { connectOptions } from './mongo-connection.js';

it('an operation is tried twice at most, also by a server that has too much to do', async () => {
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
  const tries: string[] = [];
  client.on('commandStarted', ({ commandName }: mongo.CommandStartedEvent) => tries.push(commandName));
  await expect(client.db('keyfold').collection('commits').findOne()).rejects.toThrow();
  expect(tries).toEqual(['find', 'find']);
});
