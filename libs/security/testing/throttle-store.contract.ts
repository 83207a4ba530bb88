import { describe, expect, it } from 'vitest';
import { admitted, key, MINUTE, NOON, refused } from './throttled-keys.js';
import type { ThrottleStore } from '../src/throttle/throttle-store.js';

/** Empty counters that are closed after the test. `join` opens the same counters as another process, or after a restart. */
export type OpenThrottle = Readonly<{ store: ThrottleStore; join(): Promise<ThrottleStore> }>;

/** Tests that an adapter fulfils the contract of `ThrottleStore`. Every test calls `open`. */
export function describeThrottleStore(name: string, open: () => Promise<OpenThrottle>): void {
  describe(`${name} fulfils the contract of ThrottleStore`, () => {
    describe.each([
      ['an attempt', attemptCases],
      ['a refused attempt', refusalCases],
      ['a check for a block', checkCases],
      ['concurrent attempts', crowdCases],
      ['a success', successCases],
      ['a remembered key', rememberedCases],
      ['forgotten keys', forgottenCases],
    ])('%s', (_, cases) => {
      cases({ open, newStore: async () => (await open()).store });
    });

    it('counters survive the process', async () => {
      const { store, join } = await open();
      for (let n = 0; n < 5; n++) await store.admit([key('a')], NOON);
      expect(await (await join()).admit([key('a')], NOON)).toEqual(refused(300));
    });
  });
}

type Opening = Readonly<{ open(): Promise<OpenThrottle>; newStore(): Promise<ThrottleStore> }>;

function attemptCases({ newStore }: Opening): void {
  it('counts on every key and reports the failures of the keys that ask for it', async () => {
    const store = await newStore();
    expect(await store.admit([key('a')], NOON)).toEqual(admitted(1));
    expect(await store.admit([key('b'), key('a')], NOON)).toEqual(admitted(1, 2));
    const { reportFailures: _reportFailures, ...silent } = key('b');
    expect(await store.admit([key('a'), silent, key('c')], NOON)).toEqual(admitted(3, 1));
    expect(await store.admit([silent], NOON)).toEqual(admitted());
    expect(await store.admit([key('b')], NOON)).toEqual(admitted(4));
  });

  it('starts from one when the last failure has expired', async () => {
    const store = await newStore();
    await store.admit([key('a')], NOON);
    expect(await store.admit([key('a')], NOON + 5 * MINUTE - 1)).toEqual(admitted(2));
    expect(await store.admit([key('a')], NOON + 10 * MINUTE - 2)).toEqual(admitted(3));
    expect(await store.admit([key('a')], NOON + 15 * MINUTE - 2)).toEqual(admitted(1));
  });

  it('starts from one when the first failure has expired, if the rule counts from there', async () => {
    const store = await newStore();
    const first = key('a', { countFrom: 'first' });
    await store.admit([first], NOON);
    expect(await store.admit([first], NOON + 5 * MINUTE - 1)).toEqual(admitted(2));
    expect(await store.admit([first], NOON + 5 * MINUTE)).toEqual(admitted(1));
  });

  it('doubles the block each time, up to the maximum', async () => {
    const store = await newStore();
    const growing = key('a', { limit: 2, firstBlock: 1_000, maxBlock: 60_000, forgetAfter: 60 * MINUTE });
    let now = NOON;
    await store.admit([growing], now);
    const waits: number[] = [];
    for (let n = 0; n < 40; n++) {
      expect(await store.admit([growing], now)).toEqual(admitted(n + 2));
      const refusal = await store.admit([growing], now);
      const wait = refusal.admitted ? 0 : refusal.retryAfterSeconds;
      waits.push(wait);
      now += wait * 1_000;
    }
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(new Set(waits.slice(6))).toEqual(new Set([60]));
  });
}

function refusalCases({ newStore }: Opening): void {
  it('counts on no key', async () => {
    const store = await newStore();
    for (let n = 0; n < 5; n++) await store.admit([key('blocked')], NOON);
    for (let n = 0; n < 3; n++) {
      expect(await store.admit([key('free'), key('blocked'), key('other')], NOON)).toEqual(refused(300));
    }
    expect(await store.admit([key('free'), key('other')], NOON)).toEqual(admitted(1, 1));
  });

  it('does not extend the life of any failure', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.admit([key('a')], NOON);
    for (let n = 0; n < 5; n++) await store.admit([key('blocked')], NOON + 4 * MINUTE);
    expect(await store.admit([key('a'), key('blocked')], NOON + 4 * MINUTE)).toEqual(refused(300));
    expect(await store.admit([key('a')], NOON + 5 * MINUTE)).toEqual(admitted(1));
  });

  it('neither blocks a key nor lifts a block', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.admit([key('almost')], NOON);
    for (let n = 0; n < 5; n++) await store.admit([key('blocked')], NOON);
    expect(await store.admit([key('almost'), key('blocked')], NOON)).toEqual(refused(300));
    expect(await store.admit([key('almost')], NOON)).toEqual(admitted(5));
    expect(await store.admit([key('almost')], NOON)).toEqual(refused(300));
    expect(await store.admit([key('blocked')], NOON)).toEqual(refused(300));
  });

  it('has to wait for at least a second', async () => {
    const store = await newStore();
    const short = key('a', { limit: 1, firstBlock: 10 });
    await store.admit([short], NOON);
    expect(await store.admit([short], NOON)).toEqual(refused(1));
    expect(await store.admit([short], NOON + 10)).toEqual(admitted(2));
  });
}

function checkCases({ newStore }: Opening): void {
  it('returns for how many seconds an attempt would be refused', async () => {
    const store = await newStore();
    expect(await store.secondsBlocked([key('free'), key('a')], NOON)).toBe(0);
    for (let n = 0; n < 5; n++) await store.admit([key('a')], NOON);
    expect(await store.secondsBlocked([key('free'), key('a')], NOON)).toBe(300);
    expect(await store.secondsBlocked([key('a')], NOON + 5 * MINUTE - 1)).toBe(1);
    expect(await store.secondsBlocked([key('a')], NOON + 5 * MINUTE)).toBe(0);
  });

  it('counts nothing and does not extend the life of any failure', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.admit([key('a')], NOON);
    for (let n = 0; n < 5; n++) expect(await store.secondsBlocked([key('a')], NOON + 4 * MINUTE)).toBe(0);
    expect(await store.admit([key('a')], NOON + 5 * MINUTE)).toEqual(admitted(1));
  });
}

function successCases({ newStore }: Opening): void {
  it('resets keys or refunds them the attempt', async () => {
    const store = await newStore();
    for (let n = 0; n < 5; n++) await store.admit([key('a'), key('b'), key('c')], NOON);
    await store.apply({ reset: ['a', 'never seen'], refund: ['b', 'never seen'] });
    expect(await store.admit([key('a'), key('b')], NOON)).toEqual(admitted(1, 5));
    expect(await store.admit([key('c')], NOON)).toEqual(refused(300));
  });

  it('never makes a counter negative', async () => {
    const store = await newStore();
    await store.admit([key('a')], NOON);
    for (let n = 0; n < 3; n++) await store.apply({ refund: ['a', 'never seen'] });
    expect(await store.admit([key('a'), key('never seen')], NOON)).toEqual(admitted(1, 1));
    await store.apply({});
  });
}

function rememberedCases({ newStore }: Opening): void {
  it('is remembered until its time', async () => {
    const store = await newStore();
    await store.admit([key('tried')], NOON);
    await store.apply({ remember: { key: 'known', until: NOON + MINUTE } });
    expect(await store.isRemembered('known', NOON + MINUTE - 1)).toBe(true);
    expect(await store.isRemembered('known', NOON + MINUTE)).toBe(false);
    expect(await store.isRemembered('never seen', NOON)).toBe(false);
  });

  it('never loses time that it already had', async () => {
    const store = await newStore();
    await store.apply({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.apply({ remember: { key: 'known', until: NOON + 1 } });
    expect(await store.isRemembered('known', NOON + MINUTE - 1)).toBe(true);
  });
}

function forgottenCases({ open, newStore }: Opening): void {
  const block = async (store: ThrottleStore, name: string) => {
    for (let n = 0; n < 5; n++) await store.admit([key(name)], NOON);
  };

  it('admit again at once, for every process, with the keys that continue them after a colon', async () => {
    const { store, join } = await open();
    const other = await join();
    for (const name of ['a:7', 'a:7:192.0.2.1', 'a:7:network:192.0.2.0']) await block(store, name);
    for (const process of [store, other])
      expect(await process.admit([key('a:7:192.0.2.1')], NOON)).toEqual(refused(300));
    expect(await store.forgetAll(['a:7', 'never seen'], NOON)).toBe(3);
    expect(await other.admit([key('a:7'), key('a:7:192.0.2.1'), key('a:7:network:192.0.2.0')], NOON)).toEqual(
      admitted(1, 1, 1),
    );
  });

  it('leave other keys alone, also those that only begin alike', async () => {
    const store = await newStore();
    const others = ['a:71', 'a:7;', 'a', 'b:a:7', 'a:70:192.0.2.1'];
    for (const name of others) await block(store, name);
    await store.apply({ remember: { key: 'known:a:7', until: NOON + MINUTE } });
    expect(await store.forgetAll(['a:7'], NOON)).toBe(0);
    for (const name of others) expect(await store.secondsBlocked([key(name)], NOON)).toBe(300);
    expect(await store.isRemembered('known:a:7', NOON)).toBe(true);
  });

  it('count failures from one, and only blocked ones are reported', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.admit([key('a')], NOON);
    await block(store, 'b');
    expect(await store.forgetAll(['a', 'b'], NOON + 6 * MINUTE)).toBe(0);
    expect(await store.admit([key('a'), key('b')], NOON)).toEqual(admitted(1, 1));
  });

  it('can be thousands', async () => {
    const store = await newStore();
    const keys = Array.from({ length: 2_500 }, (_, n) => key(`a:${n}`));
    for (let from = 0; from < keys.length; from += 100) {
      const silent = keys.slice(from, from + 100).map(({ key: name, rule }) => ({ key: name, rule }));
      await store.admit(silent, NOON);
    }
    await store.forgetAll(['a'], NOON);
    expect(await store.admit([keys[0]!, keys[1_234]!, keys[2_499]!], NOON)).toEqual(admitted(1, 1, 1));
  });
}

function crowdCases({ open, newStore }: Opening): void {
  const CONCURRENT = 100;
  const crowd = <Result>(one: (n: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: CONCURRENT }, (_, n) => one(n)));

  it('are admitted exactly up to the limit, and refused ones count on no other key', async () => {
    const store = await newStore();
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
