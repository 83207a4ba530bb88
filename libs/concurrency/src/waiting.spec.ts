import { describe, expect, it } from 'vitest';
import { BackOff, unlessAborted } from './waiting.js';

const pauses = (backOff: BackOff, count: number) => Array.from({ length: count }, () => backOff.next());

describe('the pause of a back-off', () => {
  it('doubles the pause after each failure, up to the longest', () => {
    expect(pauses(new BackOff(100, 1_000), 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('stays at the longest pause however often it fails', () => {
    expect(pauses(new BackOff(100, 1_000), 2_000).at(-1)).toBe(1_000);
  });

  it('starts over after a success', () => {
    const backOff = new BackOff(100, 1_000);
    pauses(backOff, 3);
    backOff.reset();
    expect(pauses(backOff, 2)).toEqual([100, 200]);
  });
});

const never = new Promise<never>(() => {});

describe('work that a signal can abandon', () => {
  it('settles like the work', async () => {
    const { signal } = new AbortController();
    await expect(unlessAborted(signal, Promise.resolve(1))).resolves.toBe(1);
    await expect(unlessAborted(signal, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });

  it('rejects with the reason of the signal when that aborts first', async () => {
    const stopping = new AbortController();
    const result = unlessAborted(stopping.signal, never);
    stopping.abort(new Error('stopped'));
    await expect(result).rejects.toThrow('stopped');
  });

  it('rejects if the signal has aborted before, even if the work is done', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(unlessAborted(stopped, Promise.resolve(1))).rejects.toThrow('stopped');
  });
});
