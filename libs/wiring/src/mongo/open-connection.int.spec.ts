import { StoreUnavailable } from '@keyfold/event-store';
import { UnusableDatabase } from '@keyfold/event-store/mongo';
import { InvalidConfiguration } from '@keyfold/process';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lastingPort } from '../../../../test/support/lasting-port.js';
import { Mongod } from '../../../../test/support/mongo/mongod.js';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { openConnection } from './open-connection.js';

const database = freshDatabaseUri();
const unused = `mongodb://127.0.0.1:${await lastingPort()}/keyfold`;

/** Returns the error of opening this connection string, or undefined. */
async function errorOf(uri: string): Promise<Error | undefined> {
  const connection = mongoose.createConnection();
  try {
    await openConnection(connection, uri);
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await connection.close();
  }
}

const hosts = /\/\/([^/]+)/.exec(database)?.[1] ?? '';

// Concurrent, because most of these tests wait until the driver gives up.
describe.concurrent('a connection', () => {
  it('opens to the primary of a replica set', async () => {
    expect(await errorOf(database)).toBeUndefined();
  });

  it('to a replica set of another name is refused with both names', async () => {
    const error = await errorOf(`mongodb://${hosts}/keyfold?replicaSet=another`);
    expect(error).toBeInstanceOf(UnusableDatabase);
    expect(error?.message).toMatch(/is "\w+", but KEYFOLD_MONGODB_URI names "another"/);
  });

  it('with an unknown option is invalid configuration', async () => {
    const error = await errorOf(`mongodb://user:p%40ss@${hosts}/keyfold?colour=blue`);
    expect(error).toBeInstanceOf(InvalidConfiguration);
    expect((error as InvalidConfiguration).problems).toEqual(['KEYFOLD_MONGODB_URI: option colour is not supported']);
  });

  it('of an unknown user is refused, and the message omits the password', async () => {
    const error = await errorOf(database.replace('//', '//keyfold:s3cret%21@'));
    expect(error).toBeInstanceOf(UnusableDatabase);
    expect(error?.message).toBe('MongoDB rejects the user of KEYFOLD_MONGODB_URI: Authentication failed.');
  });

  it.each([
    ['an unknown host', 'mongodb://no-host.invalid/keyfold?replicaSet=rs0', /no-host\.invalid/],
    ['an unknown host of DNS', 'mongodb+srv://no-host.invalid/keyfold', /no-host\.invalid/],
    ['an unused port', unused, /ECONNREFUSED/],
  ])('to %s may succeed later', async (_, uri, reason) => {
    const error = await errorOf(uri);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toMatch(/^MongoDB is not available: /);
    expect(error?.message).toMatch(reason);
  });
});

describe.concurrent('a replica set that is not initiated', () => {
  let mongod: Mongod;

  beforeAll(async () => {
    mongod = await Mongod.start('rs0');
  });
  afterAll(() => mongod.dispose());

  it.each(['?replicaSet=rs0', ''])('may be initiated later, and the message says how (%j)', async (options) => {
    const error = await errorOf(`mongodb://${mongod.address}/keyfold${options}`);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toBe(`the replica set of MongoDB at ${mongod.address} is not initiated. Run rs.initiate()`);
  });
});

it.concurrent(
  'a connection opens once the server is available, then reconnects by itself without a second client',
  async ({ expect, onTestFinished }) => {
    const set = await ReplicaSet.start(1);
    onTestFinished(() => set.stop());
    const revive = async () => {
      await set.restart(0);
      await set.primary();
    };
    await set.kill(0);
    const connection = mongoose.createConnection();
    onTestFinished(() => connection.close());
    await expect(openConnection(connection, set.uri('keyfold'))).rejects.toThrow(StoreUnavailable);
    await revive();
    await openConnection(connection, set.uri('keyfold'));
    const { connected, disconnected } = mongoose.ConnectionStates;
    expect(connection.readyState).toBe(connected);

    const client = connection.getClient();
    await set.kill(0);
    await expect.poll(() => connection.readyState, { timeout: 20_000 }).toBe(disconnected);
    await openConnection(connection, set.uri('keyfold')).catch(() => undefined);
    await revive();
    await expect.poll(() => connection.readyState, { timeout: 20_000 }).toBe(connected);
    expect(await connection.getClient().db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(connection.getClient()).toBe(client);
  },
);

it('a connection that mongoose opened leaves no client that keeps looking for servers after a failure', async () => {
  const connection = mongoose.createConnection(unused, { serverSelectionTimeoutMS: 100 });
  onTestFinished(() => connection.close());
  const closed = vi.spyOn(connection.getClient(), 'close');
  await connection.asPromise().catch(() => undefined);
  await expect(openConnection(connection, unused)).rejects.toThrow(StoreUnavailable);
  expect(closed).toHaveBeenCalled();
});
