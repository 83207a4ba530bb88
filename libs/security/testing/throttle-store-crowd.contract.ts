import { expect, it } from 'vitest';
import { admitted, key, NOON, refused } from './throttled-keys.js';
import type { ThrottleStore } from '../src/throttle-store.js';

/** Empty counters that are closed after the test. `join` opens the same counters as another process, or after a restart. */
export type OpenThrottle = Readonly<{ store: ThrottleStore; join(): Promise<ThrottleStore> }>;

/** The contract for concurrent attempts, in one process or in several. */
export function crowdCases(open: () => Promise<OpenThrottle>): void {
  const CONCURRENT = 100;
  const crowd = <Result>(one: (n: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: CONCURRENT }, (_, n) => one(n)));

  it('are admitted exactly up to the limit, and refused ones count on no other key', async () => {
    const { store } = await open();
    const admissions = await crowd((n) => store.admit([key(`source ${n}`), key('a')], NOON));
    const failures = admissions.flatMap((admission) => (admission.admitted ? [admission.failures[1]] : []));
    expect(new Set(failures)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(failures).toHaveLength(5);
    const again = await crowd((n) => store.admit([key(`source ${n}`)], NOON));
    again.forEach((admission, n) => expect(admission).toEqual(admitted(admissions[n]!.admitted ? 2 : 1)));
  });

  it('are admitted exactly up to the limit across several processes', async () => {
    const { store, join } = await open();
    const stores = [store, await join(), await join()];
    for (let round = 0; round < 5; round++) {
      const admissions = await crowd((n) => stores[n % 3]!.admit([key(`source ${round}`), key(`pair ${round}`)], NOON));
      expect(admissions.filter((admission) => admission.admitted)).toHaveLength(5);
      expect(await store.admit([key(`source ${round}`)], NOON)).toEqual(refused(300));
    }
  });

  it('leave one failure for each admission, even if they contend for a key', async () => {
    const { store, join } = await open();
    const stores = [store, await join()];
    const [wide, narrow] = [key('wide', { limit: 1_000 }), key('narrow')];
    const admissions = await crowd((n) => stores[n % 2]!.admit([wide, narrow], NOON));
    expect(admissions.filter((admission) => admission.admitted)).toHaveLength(5);
    expect(await store.admit([wide], NOON)).toEqual(admitted(6));
  });
}
