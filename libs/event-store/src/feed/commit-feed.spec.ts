import { describe, expect, it } from 'vitest';
import { ModelEventStore } from '../../testing/model-event-store.js';
import { newCommit } from '../../testing/new-commit.js';
import { feedLag } from './commit-feed.js';

async function storeWith(...times: readonly number[]) {
  const store = new ModelEventStore(3);
  for (const [index, at] of times.entries()) {
    // The slot of a partition is the sum of its bytes: `0`, `1` and `2` are in three of them.
    await store.append(newCommit(`stream-${index}`, 1, { partition: String(index % 3), at }));
  }
  return store;
}

describe('the lag of a reader', () => {
  it('is zero after everything was read', async () => {
    const positions = new Map([0, 1, 2].map((slot) => [slot, 1]));
    expect(await feedLag(await storeWith(10, 20, 30), positions)).toEqual({
      pendingCommits: 0,
      oldestPendingAt: undefined,
    });
  });

  it('counts the commits after its positions and has the time of the oldest', async () => {
    const store = await storeWith(30, 20, 10, 60, 50, 40, 90);
    const all = new Map([0, 1, 2].map((slot) => [slot, 0]));
    expect(await feedLag(store, all)).toEqual({ pendingCommits: 7, oldestPendingAt: 10 });
    const second = new Map([0, 1, 2].map((slot) => [slot, 1]));
    expect(await feedLag(store, second)).toEqual({ pendingCommits: 4, oldestPendingAt: 40 });
  });

  it('excludes slots of other processes', async () => {
    const store = await storeWith(30, 20, 10);
    expect(await feedLag(store, new Map([[store.slotOf('0'), 0]]))).toEqual({ pendingCommits: 1, oldestPendingAt: 30 });
    expect(await feedLag(store, new Map())).toEqual({ pendingCommits: 0, oldestPendingAt: undefined });
  });
});
