import { expect, it } from 'vitest';
import { freshDatabase } from '../../../../../test/support/mongo/mongo-database.js';
import { COMMITS, feedKeyOf, voidCommit, type CommitDocument } from '../commit.model.js';
import { collectionOf } from '../mongo-connection.js';
import { SlotHeads } from './slot-heads.js';

it('lower bounds are read again after many commits at unknown positions', async () => {
  const commits = collectionOf<CommitDocument>(await freshDatabase(), COMMITS);
  const heads = new SlotHeads(commits);
  const head = async () => (await heads.atLeast([7])).get(7);
  await commits.insertOne(voidCommit(7, 1));
  expect(await head()).toBe(1);
  await commits.insertMany([2, 3].map((position) => voidCommit(7, position)));
  heads.passed(2);
  expect(await head()).toBe(1);
  heads.passed(200);
  expect(await head()).toBe(3);
  heads.reached(feedKeyOf(7, 4));
  expect(await head()).toBe(4);
});

it('heads are read again after commits at unknown positions', async () => {
  const commits = collectionOf<CommitDocument>(await freshDatabase(), COMMITS);
  const heads = new SlotHeads(commits);
  expect([...(await heads.of([7, 9]))]).toEqual([
    [7, 0],
    [9, 0],
  ]);
  await commits.insertOne(voidCommit(7, 1));
  heads.passed(1);
  expect((await heads.of([7])).get(7)).toBe(1);
});
