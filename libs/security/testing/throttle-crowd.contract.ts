import { expect, it } from 'vitest';
import { admitted, key, NOON, refused } from './throttled-keys.js';
import type { ThrottleStore } from '../src/throttle.js';

/** Empty counters, closed after the running test. `join`: another process on the same ones, or the same one again after a restart. */
export type OpenThrottle = Readonly<{ store: ThrottleStore; join(): Promise<ThrottleStore> }>;

/** The cases of the contract in which many tries come at once, to one process or to several. */
export function crowdCases(open: () => Promise<OpenThrottle>): void {
  const AT_ONCE = 100;
  const crowd = <Result>(one: (n: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, n) => one(n)));

  it('are admitted exactly as often as the limit says, and leave nothing on other keys when refused', async () => {
    const { store } = await open();
    const takes = await crowd((n) => store.take([key(`source ${n}`), key('a')], NOON));
    const failures = takes.flatMap((take) => (take.admitted ? [take.failures[1]] : []));
    expect(new Set(failures)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(failures).toHaveLength(5);
    const again = await crowd((n) => store.take([key(`source ${n}`)], NOON));
    again.forEach((take, n) => expect(take).toEqual(admitted(takes[n]!.admitted ? 2 : 1)));
  });

  it('are admitted as often as the limit says when they come to several processes', async () => {
    const { store, join } = await open();
    const stores = [store, await join(), await join()];
    for (let round = 0; round < 5; round++) {
      const takes = await crowd((n) => stores[n % 3]!.take([key(`source ${round}`), key(`pair ${round}`)], NOON));
      expect(takes.filter((take) => take.admitted)).toHaveLength(5);
      expect(await store.take([key(`source ${round}`)], NOON)).toEqual(refused(300));
    }
  });

  it('leave as many failures as were admitted when they stand in each other’s way', async () => {
    const { store, join } = await open();
    const stores = [store, await join()];
    const [wide, narrow] = [key('wide', { limit: 1_000 }), key('narrow')];
    const takes = await crowd((n) => stores[n % 2]!.take([wide, narrow], NOON));
    expect(takes.filter((take) => take.admitted)).toHaveLength(5);
    expect(await store.take([wide], NOON)).toEqual(admitted(6));
  });
}
