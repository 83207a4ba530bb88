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

/** What the address leads to: the error, or undefined when the connection is open. */
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
    expect(error?.message).toMatch(/is called "\w+", but KEYFOLD_MONGODB_URI says "another"/);
  });

  it('with an option that the driver does not know is a wrong configuration', async () => {
    const error = await errorOf(`mongodb://user:p%40ss@${hostsOf(freshDatabaseUri())}/keyfold?colour=blue`);
    expect(error).toBeInstanceOf(InvalidConfiguration);
    expect((error as InvalidConfiguration).problems).toEqual(['KEYFOLD_MONGODB_URI: option colour is not supported']);
  });

  it('of a user who is not known is refused without the password', async () => {
    const error = await errorOf(freshDatabaseUri().replace('//', '//keyfold:s3cret%21@'));
    expect(error).toBeInstanceOf(UnusableDatabase);
    expect(error?.message).toBe('MongoDB refuses the user of KEYFOLD_MONGODB_URI: Authentication failed.');
  });

  it.each([
    ['mongodb://no-host.invalid/keyfold?replicaSet=rs0', /no-host\.invalid/],
    ['mongodb+srv://no-host.invalid/keyfold', /no-host\.invalid/],
  ])('to a name that nobody knows may come to be: %s', async (uri, reason) => {
    const error = await errorOf(uri);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toMatch(/^MongoDB is not available: /);
    expect(error?.message).toMatch(reason);
  });

  it('to a port where nobody listens may come to be', async () => {
    const error = await errorOf(`mongodb://127.0.0.1:${await lastingPort()}/keyfold`);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toMatch(/ECONNREFUSED/);
  });
});

describe('a replica set that was never initiated', () => {
  let mongod: Mongod;

  beforeAll(async () => {
    mongod = await Mongod.start('rs0');
  });
  afterAll(() => mongod.dispose());

  it.each(['?replicaSet=rs0', ''])('may be, and the reason says what it waits for (%j)', async (options) => {
    const error = await errorOf(`mongodb://${mongod.address}/keyfold${options}`);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error?.message).toBe(`the replica set of MongoDB at ${mongod.address} waits for rs.initiate()`);
  });
});

describe('a connection that could not be opened', () => {
  it('opens once the server is there', async () => {
    const set = await ReplicaSet.start(1);
    onTestFinished(() => set.stop());
    await set.kill(0);
    const connection = mongoose.createConnection();
    onTestFinished(() => connection.close());
    await expect(openConnection(connection, set.uri('keyfold'))).rejects.toThrow(StoreUnavailable);
    await set.restart(0);
    await set.primary();
    await openConnection(connection, set.uri('keyfold'));
    expect(connection.readyState).toBe(mongoose.ConnectionStates.connected);
  });
});

describe('a connection that was open', () => {
  it('comes back by itself with the server: another try makes no second client', async () => {
    const set = await ReplicaSet.start(1);
    onTestFinished(() => set.stop());
    const connection = mongoose.createConnection();
    onTestFinished(() => connection.close());
    await openConnection(connection, set.uri('keyfold'));
    const client = connection.getClient();
    await set.kill(0);
    const { connected, disconnected } = mongoose.ConnectionStates;
    await expect.poll(() => connection.readyState, { timeout: 20_000 }).toBe(disconnected);
    await openConnection(connection, set.uri('keyfold')).catch(() => undefined);
    await set.restart(0);
    await set.primary();
    await expect.poll(() => connection.readyState, { timeout: 20_000 }).toBe(connected);
    expect(await connection.getClient().db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(connection.getClient()).toBe(client);
  });
});

describe('a connection that began to open by itself', () => {
  it('leaves no client that looks for servers when that failed', async () => {
    const uri = `mongodb://127.0.0.1:${await lastingPort()}/keyfold`;
    const connection = mongoose.createConnection(uri, { serverSelectionTimeoutMS: 100 });
    onTestFinished(() => connection.close());
    const closed = vi.spyOn(connection.getClient(), 'close');
    await connection.asPromise().catch(() => undefined);
    await expect(openConnection(connection, uri)).rejects.toThrow(StoreUnavailable);
    expect(closed).toHaveBeenCalled();
  });
});
