import { expect, it, onTestFinished } from 'vitest';
import { describeEventStore } from '../event-store.contract.js';
import { newCommit, unused } from '../contract/new-commit.contract.js';
import { openMongo } from './open-mongo.contract.js';

describeEventStore('MongoDB', () => openMongo());

it('the last of a thousand turns of a name is found by reading one commit', async () => {
  const { store, connection, close } = await openMongo();
  onTestFinished(close);
  const name = unused('name');
  const turns = Array.from({ length: 1_000 }, (_, turn) => String(turn).padStart(10, '0'));
  await Promise.all(turns.map((turn) => store.append(newCommit(unused('account'), 1, { holds: [`${name}:${turn}`] }))));

  await connection.db!.command({ profile: 2 });
  expect((await store.findLastHold(`${name}:`))?.key).toBe(`${name}:0000000999`);
  await connection.db!.command({ profile: 0 });
  const reads = await connection.db!.collection('system.profile').find({ 'command.find': 'commits' }).toArray();
  expect(reads).toMatchObject([{ keysExamined: 1, docsExamined: 1 }]);
});
