import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ReplicaSet } from '../support/mongo/replica-set.js';

const opened: Connection[] = [];

async function open(uri: string): Promise<Connection> {
  const connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  opened.push(connection);
  return connection;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
});

describe('a replica set of one node', () => {
  let set: ReplicaSet;
  beforeAll(async () => {
    set = await ReplicaSet.start(1, { testCommands: true });
  });
  afterAll(() => set?.stop());

  test('keeps acknowledged writes after a kill and a restart', async () => {
    const notes = (await open(set.uri('killed'))).collection('notes');
    await notes.insertOne({ text: 'before' });
    await set.kill(0);
    expect(set.node(0).isRunning).toBe(false);
    await set.restart(0);
    expect(await set.primary()).toBe(0);
    expect(await notes.countDocuments({ text: 'before' })).toBe(1);
  });

  test('steps down and becomes primary again', async () => {
    expect(await set.stepDown(2)).toBe(0);
    expect(await set.node(0).command({ hello: 1 })).toMatchObject({ isWritablePrimary: false });
    expect(await set.primary()).toBe(0);
  });

  test('does not answer while it is frozen', async () => {
    set.freeze(0);
    await expect(set.node(0).command({ ping: 1 }, 300)).rejects.toThrow();
    set.thaw(0);
    expect(await set.node(0).command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test('fails at a configured fail point', async () => {
    const notes = (await open(set.uri('points'))).collection('notes');
    const point = { failCommands: ['insert'], errorCode: 112 };
    await set.node(0).command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: point });
    await expect(notes.insertOne({})).rejects.toMatchObject({ code: 112 });
    await notes.insertOne({});
  });
});

describe('a replica set of three nodes', () => {
  let set: ReplicaSet;
  beforeAll(async () => {
    set = await ReplicaSet.start(3);
  });
  afterAll(() => set?.stop());

  test('continues with another primary after a step-down, a kill and a freeze', async () => {
    const notes = (await open(set.uri('moves'))).collection('notes');
    await notes.insertOne({ text: 'at the start' });

    const down = await set.stepDown(1);
    expect(await set.primary()).not.toBe(down);
    await notes.insertOne({ text: 'after the step-down' });

    const killed = await set.primary();
    await set.kill(killed);
    expect(await set.primary()).not.toBe(killed);
    await notes.insertOne({ text: 'after the kill' });
    await set.restart(killed);
    await set.complete();

    const frozen = await set.primary();
    set.freeze(frozen);
    expect(await set.primary()).not.toBe(frozen);
    set.thaw(frozen);
    await notes.insertOne({ text: 'after the freeze' });
    expect(await notes.countDocuments()).toBe(4);
  });
});
