import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { TcpProxy } from '../support/tcp-proxy.js';

type Note = { _id: string };
const POLL = { timeout: 10_000 };
let set: ReplicaSet;
let proxy: TcpProxy;
let straight: Connection;
let proxied: Connection;

const open = (uri: string, options: ConnectOptions = {}) =>
  mongoose.createConnection(uri, { ...connectOptions, serverSelectionTimeoutMS: 1_000, ...options }).asPromise();
const notesOf = (connection: Connection) => connection.getClient().db('notes').collection<Note>('notes');

beforeAll(async () => {
  set = await ReplicaSet.start(1);
  straight = await open(set.uri());
});

afterAll(async () => {
  await straight?.close();
  await set?.stop();
});

beforeEach(async () => {
  proxy = await TcpProxy.start(set.node(0).port);
  proxied = await open(proxy.uri());
  await notesOf(straight).deleteMany({});
});

afterEach(async () => {
  await proxied?.close();
  await proxy?.close();
});

test('a frozen connection stays open and resumes', async () => {
  await notesOf(proxied).findOne();
  const open = proxy.connections;
  proxy.freeze(true);
  const insert = notesOf(proxied).insertOne({ _id: 'late' });
  expect(await Promise.race([insert, firstAnswerOf(straight)])).toBe('straight');
  expect(proxy.connections).toBeGreaterThanOrEqual(open);
  expect(await notesOf(straight).countDocuments()).toBe(0);
  proxy.freeze(false);
  await insert;
  expect(await notesOf(straight).countDocuments()).toBe(1);
});

test('a write whose answer is dropped is done, and its client sees only a cut connection', async () => {
  const client = await open(proxy.uri(), { retryWrites: false });
  expect(await writeWithoutAnswer(client)).toBe('failed');
  expect(await notesOf(straight).countDocuments()).toBe(1);
  await client.close();
});

test('a retry acknowledges a write whose answer was dropped, and the write is not done twice', async () => {
  expect(await writeWithoutAnswer(proxied)).toBe('acknowledged');
  expect(await notesOf(straight).countDocuments()).toBe(1);
});

/** Reports every error as `failed`, because the error of a cut connection depends on what the client was doing. */
const write = (_id: string, connection = proxied) =>
  notesOf(connection)
    .insertOne({ _id })
    .then(
      () => 'acknowledged',
      () => 'failed',
    );

async function writeWithoutAnswer(connection: Connection): Promise<string> {
  await notesOf(connection).findOne();
  proxy.setDroppingResponses(true);
  const outcome = write('unheard', connection);
  await expect.poll(() => notesOf(straight).countDocuments(), POLL).toBe(1);
  proxy.setDroppingResponses(false);
  return outcome;
}

async function firstAnswerOf(connection: Connection): Promise<string> {
  for (let round = 0; round < 20; round++) await notesOf(connection).findOne();
  return 'straight';
}
