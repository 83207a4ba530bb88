import { describe, expect, it } from 'vitest';
import { openThrottle } from '../../testing/embedded-throttle.js';
import type { ThrottledKey, ThrottleRule } from '../throttle.js';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 15, 12);
const rule: ThrottleRule = {
  limit: 5,
  firstBlock: 5 * MINUTE,
  maxBlock: 5 * MINUTE,
  forgetAfter: 5 * MINUTE,
  countFrom: 'last',
};
const key = (name: string, differing: Partial<ThrottleRule> = {}): ThrottledKey => ({
  key: name,
  rule: { ...rule, ...differing },
});

describe('a try', () => {
  it('counts on every key and says how many each has', async () => {
    const { store } = openThrottle();
    await store.take([key('a')], NOON);
    expect(await store.take([key('b'), key('a')], NOON)).toEqual({ admitted: true, failures: [1, 2] });
  });

  it('counts on no key when one of them is blocked', async () => {
    const { store } = openThrottle();
    for (let n = 0; n < 5; n++) await store.take([key('blocked')], NOON);
    const refused = { admitted: false, retryAfterSeconds: 300 };
    expect(await store.take([key('free'), key('blocked'), key('other')], NOON)).toEqual(refused);
    expect(await store.take([key('free'), key('other')], NOON)).toEqual({ admitted: true, failures: [1, 1] });
  });

  it('is admitted exactly as often as the limit says when many come at once', async () => {
    const { store } = openThrottle();
    const takes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => store.take([key(`source ${n}`), key('a')], NOON)),
    );
    expect(takes.filter(({ admitted }) => admitted)).toHaveLength(5);
    expect(takes.flatMap((take) => (take.admitted ? [take.failures[1]] : []))).toEqual([1, 2, 3, 4, 5]);
  });

  it('is refused for at least a second', async () => {
    const { store } = openThrottle();
    const short = key('a', { limit: 1, firstBlock: 10 });
    await store.take([short], NOON);
    expect(await store.take([short], NOON)).toEqual({ admitted: false, retryAfterSeconds: 1 });
    expect(await store.take([short], NOON + 10)).toMatchObject({ admitted: true });
  });

  it('blocks for twice as long each time, up to the longest, however often', async () => {
    const { store } = openThrottle();
    const growing = key('a', { limit: 2, firstBlock: 1_000, maxBlock: 60_000, forgetAfter: 60 * MINUTE });
    let now = NOON;
    await store.take([growing], now);
    const waits: number[] = [];
    for (let n = 0; n < 70; n++) {
      expect(await store.take([growing], now)).toMatchObject({ admitted: true });
      const refused = await store.take([growing], now);
      const wait = refused.admitted ? 0 : refused.retryAfterSeconds;
      waits.push(wait);
      now += wait * 1_000;
    }
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(new Set(waits.slice(6))).toEqual(new Set([60]));
  });
});

describe('counters', () => {
  it('outlive the process', async () => {
    const { file, store } = openThrottle();
    for (let n = 0; n < 5; n++) await store.take([key('a')], NOON);
    await file.close();
    expect(await openThrottle(file.path).store.take([key('a')], NOON)).toMatchObject({ admitted: false });
  });

  it('vanish when their time is over, a few with every try', async () => {
    const { file, store } = openThrottle();
    for (let n = 0; n < 100; n++) await store.take([key(`source ${n}`)], NOON);
    for (let n = 0; n < 10; n++) await store.take([key('a')], NOON + 6 * MINUTE + n * 6 * MINUTE);
    expect(file.read('SELECT key FROM throttle')).toEqual([{ key: 'a' }]);
  });

  it('never fall below nothing', async () => {
    const { store } = openThrottle();
    await store.take([key('a')], NOON);
    for (let n = 0; n < 3; n++) await store.succeed({ giveBack: ['a', 'never seen'] });
    expect(await store.take([key('a')], NOON)).toEqual({ admitted: true, failures: [1] });
  });
});

describe('a remembered key', () => {
  const blocked: ThrottledKey = { ...key('a', { limit: 1 }), exemptedBy: 'known' };

  it('lets tries pass a block until its time is over', async () => {
    const { store } = openThrottle();
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.take([key('a', { limit: 1 })], NOON);
    expect(await store.take([key('a', { limit: 1 })], NOON)).toMatchObject({ admitted: false });
    expect(await store.take([blocked], NOON + MINUTE - 1)).toMatchObject({ admitted: true });
    expect(await store.take([blocked], NOON + MINUTE)).toMatchObject({ admitted: false });
  });

  it('is never remembered for a shorter time than before', async () => {
    const { store } = openThrottle();
    await store.succeed({ remember: { key: 'known', until: NOON + MINUTE } });
    await store.succeed({ remember: { key: 'known', until: NOON + 1 } });
    await store.take([key('a', { limit: 1 })], NOON);
    expect(await store.take([blocked], NOON + MINUTE - 1)).toMatchObject({ admitted: true });
  });
});
