import { describe, expect, it } from 'vitest';
import type { ThrottledKey, ThrottleRule, ThrottleStore } from './throttle.js';

/** Empty counters, closed after the running test. `join`: another process on the same ones, or the same one again after a restart. */
export type OpenThrottle = Readonly<{ store: ThrottleStore; join(): Promise<ThrottleStore> }>;

export const MINUTE = 60_000;
/** A day that no clock shows yet: databases remove by their own clock what is over. */
export const NOON = Date.UTC(2100, 0, 15, 12);

const rule: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: 5 * MINUTE,
  forgetAfter: 5 * MINUTE,
  countFrom: 'last',
};
/** A key whose failures the answer tells; five failures, then five minutes. */
export const key = (name: string, differing: Partial<ThrottleRule> = {}): ThrottledKey => ({
  key: name,
  rule: { ...rule, ...differing },
  told: true,
});
const admitted = (...failures: number[]) => ({ admitted: true, failures });
const refused = (retryAfterSeconds: number) => ({ admitted: false, retryAfterSeconds });

/** Runs the contract of the port `ThrottleStore` against an adapter; `open` is called in every test. */
export function describeThrottleStore(name: string, open: () => Promise<OpenThrottle>): void {
  describe(`${name} keeps the contract of a throttle store`, () => {
    const newStore = async () => (await open()).store;
    describe('a try', () => tryCases(newStore));
    describe('a refused try', () => refusalCases(newStore));
    describe('a look', () => lookCases(newStore));
    describe('many tries at once', () => crowdCases(open));
    describe('a success', () => successCases(newStore));
    describe('a remembered key', () => rememberedCases(newStore));

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

  it('lets a remembered source pass a block', async () => {
    const store = await newStore();
    const one = key('a', { limit: 1 });
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.take([one], NOON);
    expect(await store.look([{ ...one, exemptedBy: 'unknown' }], NOON)).toBe(300);
    expect(await store.look([{ ...one, exemptedBy: 'known' }], NOON)).toBe(0);
    expect(await store.look([{ ...one, exemptedBy: 'known' }], NOON + MINUTE)).toBe(240);
  });
}

function crowdCases(open: () => Promise<OpenThrottle>): void {
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

  it('of a source that passed a block does not lift the block for others', async () => {
    const store = await newStore();
    const one = key('a', { limit: 1 });
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.take([one], NOON);
    expect(await store.take([{ ...one, exemptedBy: 'known' }], NOON + 1_000)).toEqual(admitted(2));
    await store.succeed({ giveBack: ['a'] });
    expect(await store.take([one], NOON + 1_000)).toEqual(refused(299));
  });
}

function rememberedCases(newStore: NewStore): void {
  const one = key('a', { limit: 1 });
  const known: ThrottledKey = { ...one, exemptedBy: 'known' };

  it('lets tries pass a block until its time is over', async () => {
    const store = await newStore();
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.take([one], NOON);
    expect(await store.take([one], NOON)).toEqual(refused(300));
    expect(await store.take([{ ...one, exemptedBy: 'unknown' }], NOON)).toEqual(refused(300));
    expect(await store.take([key('b'), known, key('c')], NOON + MINUTE - 1)).toEqual(admitted(1, 2, 1));
    expect(await store.take([known], NOON + MINUTE)).toEqual(refused(300));
  });

  it('is never remembered for a shorter time than before', async () => {
    const store = await newStore();
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.succeed({ remember: { key: 'known', until: NOON + 1 } });
    await store.take([one], NOON);
    expect(await store.take([known], NOON + MINUTE - 1)).toEqual(admitted(2));
  });
}
