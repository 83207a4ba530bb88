import { StoreUnavailable } from '@keyfold/event-store';
import { UnusableDatabase } from '@keyfold/event-store/mongo';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lastingPort } from '../../../../test/support/lasting-port.js';
import { Mongod } from '../../../../test/support/mongo/mongod.js';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { InvalidConfiguration } from '@keyfold/process';
import { openConnection } from './open-connection.js';

/** Returns the error of opening this connection string, or undefined. */
async function errorOf(uri: string): Promise<Error | undefined> {
  const connection = mongoose.createConnection();
  onTestFinished(() => connection.close());
  try {
    await openConnection(connection, uri);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const hostsOf = (uri: string) => /\/\/([^/]+)/.exec(uri)?.[1] ?? '';

describe('a connection', () => {
  it('opens to the primary of a replica set', async () => {
    expect(await errorOf(freshDatabaseUri())).toBeUndefined();
  });

  it('to a replica set of another name is refused with both names', async () => {
    const error = await errorOf(`mongodb://${hostsOf(freshDatabaseUri())}/keyfold?replicaSet=another`);
    expect(error).toBeInstanceOf(UnusableDatabase);
    expect(error?.message).toMatch(/is "\w+", but KEYFOLD_MONGODB_URI names "another"/);
  });

  it('with an unknown option is invalid configuration', async () => {
    const error = await errorOf(`mongodb://user:p%40ss@${hostsOf(freshDatabaseUri())}/keyfold?colour=blue`);
    expect(error).toBeInstanceOf(InvalidConfiguration);
    expect((error as InvalidConfiguration).problems).toEqual(['KEYFOLD_MONGODB_URI: option colour is not supported']);
  });

  it('of an unknown user is refused, and the message omits the password', async () => {
    const error = await errorOf(freshDatabaseUri().replace('//', '//keyfold:s3cret%21@'));
    expect(error).toBeInstanceOf(UnusableDatabase);
    expect(error?.message).toBe('MongoDB rejects the user of KEYFOLD_MONGODB_URI: Authentication failed.');
  });

  it.each([
    ['mongodb://no-host.invalid/keyfold?replicaSet=rs0', /no-host\.invalid/],
    ['mongodb+srv://no-host.invalid/keyfold', /no-host\.invalid/],
  ])('to an unknown host may succeed later: %s', async (uri, reason) => {
    const error = await errorOf(uri);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toMatch(/^MongoDB is not available: /);
    expect(error?.message).toMatch(reason);
  });

  it('to an unused port may succeed later', async () => {
    const error = await errorOf(`mongodb://127.0.0.1:${await lastingPort()}/keyfold`);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toMatch(/ECONNREFUSED/);
  });
});

describe('a replica set that is not initiated', () => {
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

it('a connection opens once the server is available, then reconnects by itself without a second client', async () => {
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
});

describe('a connection that mongoose opened', () => {
  it('leaves no client that keeps looking for servers after a failure', async () => {
    const uri = `mongodb://127.0.0.1:${await lastingPort()}/keyfold`;
    const connection = mongoose.createConnection(uri, { serverSelectionTimeoutMS: 100 });
    onTestFinished(() => connection.close());
    const closed = vi.spyOn(connection.getClient(), 'close');
    await connection.asPromise().catch(() => undefined);
    await expect(openConnection(connection, uri)).rejects.toThrow(StoreUnavailable);
    expect(closed).toHaveBeenCalled();
  });
});
