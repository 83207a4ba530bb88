import { describe, expect, it } from 'vitest';
import { unlessAborted } from './unless-aborted.js';

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
