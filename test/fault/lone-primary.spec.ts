import { StoreUnavailable } from '@keyfold/event-store';
import { expect, it, onTestFinished } from 'vitest';
import { newCommit } from '../../libs/event-store/testing/new-commit.js';
import { appendOne } from '../../libs/event-store/testing/outcome.js';
import { openEventStore } from '../support/mongo/open-event-store.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';

const STREAM = { stream: 'account-1', version: 0 };

it('a new primary without a majority answers no read that was in flight, and reports no stream as compacted', async () => {
  const set = await ReplicaSet.start(3, { testCommands: true });
  onTestFinished(() => set.stop());
  const reader = await openEventStore(set.uri('reads'));
  const commit = await appendOne(reader, newCommit('account-1', 1));
  expect(await reader.readStreams([STREAM])).toEqual([commit]);
  const [one, another] = [await openEventStore(set.uri('compactions')), await openEventStore(set.uri('compactions'))];
  await one.append(newCommit('account-1', 1));

  const old = await set.primary();
  const heal = await stopReplication(set, old);
  const blocked = { failCommands: ['find'], blockConnection: true, blockTimeMS: 60_000 };
  await set.node(old).command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: blocked });
  const reading = expect(reader.readStreams([STREAM])).rejects.toBeInstanceOf(StoreUnavailable);
  await set.kill(old);
  await set.primary();
  await expect(another.compact(['account-1'])).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(one.compact(['account-1'])).rejects.toBeInstanceOf(StoreUnavailable);
  await reading;

  await heal();
  expect(await reader.readStreams([STREAM])).toEqual([commit]);
  expect(await one.compact(['account-1'])).toBe(0);
  expect(await one.readStreams([STREAM])).toEqual([]);
});

/**
 * Lets one secondary vote, but neither stand for election nor replicate, so that the other one follows the primary
 * without a majority for its writes. Returns a function that resumes replication and restarts the lost node.
 */
async function stopReplication(set: ReplicaSet, primary: number): Promise<() => Promise<void>> {
  const voter = set.node((primary + 1) % 3);
  const point = { configureFailPoint: 'stopReplProducer' };
  await voter.command({ ...point, mode: 'alwaysOn' });
  await voter.command({ replSetFreeze: 600 });
  return async () => {
    await voter.command({ replSetFreeze: 0 });
    await voter.command({ ...point, mode: 'off' });
    await set.restart(primary);
    await set.complete();
  };
}
