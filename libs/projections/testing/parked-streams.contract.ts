import { expect, it } from 'vitest';
import type { ParkedStream, ReadModelStore } from '../src/read-model-store.js';

/** Returns a stream that failed at this time. */
export const parked = (stream: string, at: number): ParkedStream => ({
  stream,
  partition: '7',
  version: 2,
  error: 'unknown',
  at,
});

/** Tests the contract of the port for parked streams. */
export function parkedCases(newStore: () => Promise<ReadModelStore>): void {
  it('are listed in the order of their latest failures', async () => {
    const store = await newStore();
    await store.park(parked('account-7', 20));
    await store.park(parked('account-8', 10));
    await store.park({ ...parked('account-7', 30), error: 'again' });
    const all = [parked('account-8', 10), { ...parked('account-7', 30), error: 'again' }];
    expect(await store.parked()).toEqual(all);
    expect(await store.parked('account-7')).toEqual(all.slice(1));
    expect(await store.parkedPage(1, 5)).toEqual({ items: all.slice(1), total: 2 });
    expect(await store.parkedPage(0, 1)).toEqual({ items: all.slice(0, 1), total: 2 });
    expect(await store.parkedPage(0, 0)).toEqual({ items: [], total: 2 });
  });

  it('are released separately, even if they were not parked', async () => {
    const store = await newStore();
    await store.park(parked('account-7', 20));
    await store.unpark(parked('account-8', 20));
    expect(await store.parked()).toHaveLength(1);
    await store.unpark(parked('account-7', 20));
    expect(await store.parked()).toEqual([]);
  });

  it('stay if they failed again after the released record', async () => {
    const store = await newStore();
    const first = parked('account-7', 20);
    const again = { ...parked('account-7', 30), version: 3 };
    await store.park(first);
    await store.park(again);
    await store.unpark(first);
    expect(await store.parked()).toEqual([again]);
  });
}
