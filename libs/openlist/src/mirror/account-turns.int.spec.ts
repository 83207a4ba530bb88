import { InMemoryStreamQueue } from '@keyfold/application';
import { feedModels, migrateSchema, MongoFeedLeases } from '@keyfold/event-store/mongo';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openMongo } from '../../../event-store/testing/open-mongo.js';
import { AccountTurns, TURNS } from './account-turns.js';

async function openLeases(): Promise<MongoFeedLeases> {
  const { connection, close } = await openMongo();
  onTestFinished(close);
  await migrateSchema(connection, feedModels(connection));
  return new MongoFeedLeases(connection);
}

it('one process at a time has the turn of an account, accounts do not wait for each other, and nothing is left', async () => {
  const leases = await openLeases();
  const processes = Array.from({ length: 4 }, () => new AccountTurns(new InMemoryStreamQueue(), leases));
  const inTurn = new Map<number, number>();
  const work = (accountId: number) => async () => {
    expect(inTurn.get(accountId) ?? 0).toBe(0);
    inTurn.set(accountId, 1);
    for (let wait = 0; wait < 10; wait++) await setImmediate();
    inTurn.set(accountId, 0);
  };
  const turns = processes.flatMap((each) => [7, 8, 7, 8].map((id) => each.run(id, work(id))));
  await Promise.all(turns);
  const release = Promise.withResolvers<void>();
  const held = processes[0]!.run(7, () => release.promise);
  await processes[1]!.run(8, work(8));
  release.resolve();
  await held;
  expect(await leases.progress(TURNS)).toEqual([]);
});

it('a turn that failed is free at once, and that of a dead process when its lease ends', async () => {
  const leases = await openLeases();
  const turns = new AccountTurns(new InMemoryStreamQueue(), leases);
  await expect(turns.run(7, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await leases.take(TURNS, 'a dead process', [7], 500);
  await turns.run(7, () => Promise.resolve());
});
