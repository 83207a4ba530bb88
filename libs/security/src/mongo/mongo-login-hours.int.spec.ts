import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { emptySharedDatabase, sharedUri } from '../../../event-store/testing/shared-database.js';
import { describeLoginHours } from '../../testing/login-hours.contract.js';
import { loginHourModels, MongoLoginHours } from './mongo-login-hours.js';

async function openHours() {
  const connect = async () => {
    const connection = await mongoose.createConnection(sharedUri, { ...connectOptions }).asPromise();
    onTestFinished(() => connection.close());
    return connection;
  };
  const connection = await connect();
  await emptySharedDatabase(connection, loginHourModels(connection));
  const join = async () => new MongoLoginHours(await connect());
  return { connection, hours: new MongoLoginHours(connection), join };
}

describeLoginHours('MongoDB', openHours);

it('MongoDB removes an hour 48 hours after its start', async () => {
  const { connection, hours } = await openHours();
  const hour = Math.floor(Date.now() / 3_600_000);
  await hours.add([{ hour, accepted: 1, refused: 0 }]);
  // Such a count is not waited for, so it may be visible later to other reads.
  const stored = () => connection.collection('login_hours').findOne();
  await expect.poll(stored).toMatchObject({ until: new Date((hour + 48) * 3_600_000) });
  expect(await connection.collection('login_hours').indexes()).toContainEqual(
    expect.objectContaining({ key: { until: 1 }, expireAfterSeconds: 0 }),
  );
});
