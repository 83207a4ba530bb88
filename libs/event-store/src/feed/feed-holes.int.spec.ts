import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { FeedWorkers } from '../../testing/feed-workers.js';
import { newCommit } from '../../testing/new-commit.js';
import { openMongoFeed } from '../../testing/open-mongo.js';
import { COMMITS, type CommitDocument } from '../mongo/commit.model.js';
import { collectionOf } from '../mongo/mongo-connection.js';

const HOLE_AGE = 2_000;

/** A slot in which the second of three commits is missing, as if its writer had not come to it yet, and a reader with a clock of its own. */
async function openFeedWithHole() {
  const { store, connection, leases } = await openMongoFeed();
  const [, late] = await Promise.all(
    [1, 2, 3].map((account) => store.append(newCommit(`account-${account}`, 1, { partition: '7' }))),
  );
  const commits = collectionOf<CommitDocument>(connection, COMMITS);
  const document = (await commits.findOneAndDelete({ stream: late!.commit.stream }))!;

  const clock = { time: 1_000 };
  const workers = new FeedWorkers(store);
  const reader = workers.newReader('ann', leases, {
    leaseMilliseconds: 60_000,
    holeMilliseconds: HOLE_AGE,
    now: () => clock.time,
  });
  const [closeHoles, polls] = [vi.spyOn(store, 'closeHoles'), vi.spyOn(store, 'slotsWithNews')];
  /** The first look reads what is before the hole, the second finds it; one more begins when that is done. */
  const readOn = async () => {
    polls.mockClear();
    await eventually(() => expect(polls.mock.calls.length).toBeGreaterThan(2));
  };
  const writeLate = () => commits.insertOne(document);
  const names = () => workers.handled.map(({ commit }) => `${commit.position}:${commit.stream.replace(/\d+$/, '')}`);
  return { clock, reader, closeHoles, readOn, writeLate, names };
}

describe('a free position with commits behind it', () => {
  it('is closed only after the waiting time, and never skipped', async () => {
    const { clock, reader, closeHoles, readOn, names } = await openFeedWithHole();
    reader.start();
    await readOn();
    clock.time += HOLE_AGE - 1;
    await readOn();
    expect(closeHoles).not.toHaveBeenCalled();
    expect(names()).toEqual(['1:account-']);
    clock.time += 1;
    await eventually(() => expect(names()).toEqual(['1:account-', '2:void-', '3:account-']));
    expect(closeHoles).toHaveBeenCalledTimes(1);
  });

  it('is read in order if its writer is in time', async () => {
    const { clock, reader, closeHoles, readOn, writeLate, names } = await openFeedWithHole();
    reader.start();
    await readOn();
    clock.time += HOLE_AGE - 1;
    await writeLate();
    await eventually(() => expect(names()).toEqual(['1:account-', '2:account-', '3:account-']));
    expect(closeHoles).not.toHaveBeenCalled();
  });

  it('is waited for while a reader catches up', async () => {
    const { clock, reader, names } = await openFeedWithHole();
    const timer = setInterval(() => (clock.time += HOLE_AGE / 4), 10);
    onTestFinished(() => clearInterval(timer));
    await reader.catchUp();
    expect(names()).toEqual(['1:account-', '2:void-', '3:account-']);
  });
});
