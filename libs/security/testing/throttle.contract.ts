import { describe, expect, it } from 'vitest';
import { admitted, key, MINUTE, NOON, refused } from './throttled-keys.js';
import { crowdCases, type OpenThrottle } from './throttle-crowd.contract.js';
import type { ThrottleStore } from '../src/throttle.js';

/** Runs the contract of the port `ThrottleStore` against an adapter; `open` is called in every test. */
export function describeThrottleStore(name: string, open: () => Promise<OpenThrottle>): void {
  describe(`${name} keeps the contract of a throttle store`, () => {
    const newStore = async () => (await open()).store;
    describe('a try', () => {
      tryCases(newStore);
    });
    describe('a refused try', () => {
      refusalCases(newStore);
    });
    describe('a look', () => {
      lookCases(newStore);
    });
    describe('many tries at once', () => {
      crowdCases(open);
    });
    describe('a success', () => {
      successCases(newStore);
    });
    describe('a remembered key', () => {
      rememberedCases(newStore);
    });

    it('counters outlive the process', async () => {
      const { store, join } = await open();
      for (let n = 0; n < 5; n++) await store.take([key('a')], NOON);
      expect(await (await join()).take([key('a')], NOON)).toEqual(refused(300));
    });
  });
}

type NewStore = () => Promise<ThrottleStore>;

function tryCases(newStore: NewStore): void {
  it('counts on every key and says of each that is to be told how many it has', async () => {
    const store = await newStore();
    expect(await store.take([key('a')], NOON)).toEqual(admitted(1));
    expect(await store.take([key('b'), key('a')], NOON)).toEqual(admitted(1, 2));
    const { told: _told, ...silent } = key('b');
    expect(await store.take([key('a'), silent, key('c')], NOON)).toEqual(admitted(3, 1));
    expect(await store.take([silent], NOON)).toEqual(admitted());
    expect(await store.take([key('b')], NOON)).toEqual(admitted(4));
  });

  it('starts anew when the key had no failure for long enough', async () => {
    const store = await newStore();
    await store.take([key('a')], NOON);
    expect(await store.take([key('a')], NOON + 5 * MINUTE - 1)).toEqual(admitted(2));
    expect(await store.take([key('a')], NOON + 10 * MINUTE - 2)).toEqual(admitted(3));
    expect(await store.take([key('a')], NOON + 15 * MINUTE - 2)).toEqual(admitted(1));
  });

  it('starts anew so long after the first failure where that is the rule', async () => {
    const store = await newStore();
    const first = key('a', { countFrom: 'first' });
    await store.take([first], NOON);
    expect(await store.take([first], NOON + 5 * MINUTE - 1)).toEqual(admitted(2));
    expect(await store.take([first], NOON + 5 * MINUTE)).toEqual(admitted(1));
  });

  it('blocks for twice as long each time, up to the longest, however often', async () => {
    const store = await newStore();
    const growing = key('a', { limit: 2, firstBlock: 1_000, maxBlock: 60_000, forgetAfter: 60 * MINUTE });
    let now = NOON;
    await store.take([growing], now);
    const waits: number[] = [];
    for (let n = 0; n < 40; n++) {
      expect(await store.take([growing], now)).toEqual(admitted(n + 2));
      const refusal = await store.take([growing], now);
      const wait = refusal.admitted ? 0 : refusal.retryAfterSeconds;
      waits.push(wait);
      now += wait * 1_000;
    }
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(new Set(waits.slice(6))).toEqual(new Set([60]));
  });
}

function refusalCases(newStore: NewStore): void {
  it('counts on no key', async () => {
    const store = await newStore();
    for (let n = 0; n < 5; n++) await store.take([key('blocked')], NOON);
    for (let n = 0; n < 3; n++) {
      expect(await store.take([key('free'), key('blocked'), key('other')], NOON)).toEqual(refused(300));
    }
    expect(await store.take([key('free'), key('other')], NOON)).toEqual(admitted(1, 1));
  });

  it('makes no key remember its failures for longer', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.take([key('a')], NOON);
    for (let n = 0; n < 5; n++) await store.take([key('blocked')], NOON + 4 * MINUTE);
    expect(await store.take([key('a'), key('blocked')], NOON + 4 * MINUTE)).toEqual(refused(300));
    expect(await store.take([key('a')], NOON + 5 * MINUTE)).toEqual(admitted(1));
  });

  it('neither blocks a key nor lifts a block', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.take([key('almost')], NOON);
    for (let n = 0; n < 5; n++) await store.take([key('blocked')], NOON);
    expect(await store.take([key('almost'), key('blocked')], NOON)).toEqual(refused(300));
    expect(await store.take([key('almost')], NOON)).toEqual(admitted(5));
    expect(await store.take([key('almost')], NOON)).toEqual(refused(300));
    expect(await store.take([key('blocked')], NOON)).toEqual(refused(300));
  });

  it('waits for at least a second', async () => {
    const store = await newStore();
    const short = key('a', { limit: 1, firstBlock: 10 });
    await store.take([short], NOON);
    expect(await store.take([short], NOON)).toEqual(refused(1));
    expect(await store.take([short], NOON + 10)).toEqual(admitted(2));
  });
}

function lookCases(newStore: NewStore): void {
  it('says for how many seconds a try would be refused', async () => {
    const store = await newStore();
    expect(await store.look([key('free'), key('a')], NOON)).toBe(0);
    for (let n = 0; n < 5; n++) await store.take([key('a')], NOON);
    expect(await store.look([key('free'), key('a')], NOON)).toBe(300);
    expect(await store.look([key('a')], NOON + 5 * MINUTE - 1)).toBe(1);
    expect(await store.look([key('a')], NOON + 5 * MINUTE)).toBe(0);
  });

  it('counts nothing and makes no key remember its failures for longer', async () => {
    const store = await newStore();
    for (let n = 0; n < 4; n++) await store.take([key('a')], NOON);
    for (let n = 0; n < 5; n++) expect(await store.look([key('a')], NOON + 4 * MINUTE)).toBe(0);
    expect(await store.take([key('a')], NOON + 5 * MINUTE)).toEqual(admitted(1));
  });
}

function successCases(newStore: NewStore): void {
  it('lets keys start anew or gives them the try back', async () => {
    const store = await newStore();
    for (let n = 0; n < 5; n++) await store.take([key('a'), key('b'), key('c')], NOON);
    await store.succeed({ clear: ['a', 'never seen'], giveBack: ['b', 'never seen'] });
    expect(await store.take([key('a'), key('b')], NOON)).toEqual(admitted(1, 5));
    expect(await store.take([key('c')], NOON)).toEqual(refused(300));
  });

  it('never leaves less than nothing', async () => {
    const store = await newStore();
    await store.take([key('a')], NOON);
    for (let n = 0; n < 3; n++) await store.succeed({ giveBack: ['a', 'never seen'] });
    expect(await store.take([key('a'), key('never seen')], NOON)).toEqual(admitted(1, 1));
    await store.succeed({});
  });
}

function rememberedCases(newStore: NewStore): void {
  it('is so until its time is over', async () => {
    const store = await newStore();
    await store.take([key('tried')], NOON);
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    expect(await store.isRemembered('known', NOON + MINUTE - 1)).toBe(true);
    expect(await store.isRemembered('known', NOON + MINUTE)).toBe(false);
    expect(await store.isRemembered('never seen', NOON)).toBe(false);
  });

  it('is never remembered for a shorter time than before', async () => {
    const store = await newStore();
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.succeed({ remember: { key: 'known', until: NOON + 1 } });
    expect(await store.isRemembered('known', NOON + MINUTE - 1)).toBe(true);
  });
}
