import { StoreUnavailable } from '@keyfold/event-store';
import { beforeAll, describe, expect, it } from 'vitest';
import { newCommit } from '../../libs/event-store/testing/new-commit.js';
import { openEventStore } from '../support/mongo/open-event-store.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';

const STREAM = { stream: 'account-1', version: 0 };

describe('a new primary without a majority', () => {
  let set: ReplicaSet;
  beforeAll(async () => {
    set = await ReplicaSet.start(3, { testCommands: true });
    return () => set.stop();
  });

  it('does not answer a read that was in flight when the old primary was lost', async () => {
    const store = await openEventStore(set.uri('reads'));
    const { commit } = await store.append(newCommit('account-1', 1));
    expect(await store.readStreams([STREAM])).toEqual([commit]);
    const old = await set.primary();
    const heal = await stopReplication(set, old);
    const blocked = { failCommands: ['find'], blockConnection: true, blockTimeMS: 60_000 };
    await set.node(old).command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: blocked });
    const outcome = expect(store.readStreams([STREAM])).rejects.toBeInstanceOf(StoreUnavailable);
    await set.kill(old);
    await outcome;
    await heal();
    expect(await store.readStreams([STREAM])).toEqual([commit]);
  });

  it('does not report streams as compacted that another process has just compacted', async () => {
    const [store, other] = [await openEventStore(set.uri('compactions')), await openEventStore(set.uri('compactions'))];
    await store.append(newCommit('account-1', 1));
    const old = await set.primary();
    const heal = await stopReplication(set, old);
    await set.kill(old);
    await set.primary();
    await expect(other.compact(['account-1'])).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(store.compact(['account-1'])).rejects.toBeInstanceOf(StoreUnavailable);
    await heal();
    expect(await store.compact(['account-1'])).toBe(0);
    expect(await store.readStreams([STREAM])).toEqual([]);
  });
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
