import { StoreUnavailable } from '@keyfold/event-store';
import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { keyOwnerOf } from '../projecting/key-owners.js';
import { KEY_OWNERS, keyOwnerModel, MongoKeyOwners } from './mongo-key-owners.js';

it('an outage is never taken for entries that the index has', async () => {
  const set = await ReplicaSet.start(1, { testCommands: true });
  onTestFinished(() => set.stop());
  const connection = await mongoose.createConnection(set.uri('keyfold'), connectOptions).asPromise();
  onTestFinished(() => connection.close());
  await migrateSchema(connection, [keyOwnerModel(connection)]);
  const index = new MongoKeyOwners(connection);
  const [known, added] = [keyOwnerOf(7, publicKey('a')), keyOwnerOf(8, publicKey('a'))];
  await index.add([known]);
  const point = { failCommands: ['insert'], namespace: `keyfold.${KEY_OWNERS}`, errorCode: 91 };
  await set.node(0).command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: point });
  await expect(index.add([known, added])).rejects.toThrow(StoreUnavailable);
  await set.node(0).command({ configureFailPoint: 'failCommand', mode: 'off' });
  expect(await index.missing([known, added])).toEqual([added]);
  await index.add([known, added]);
  expect(await index.missing([known, added])).toEqual([]);
});
