import { describe, expect, it } from 'vitest';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { AccountIds } from './manage-accounts.js';

const take = (ids: AccountIds, count: number) => Promise.all(Array.from({ length: count }, () => ids.next()));

describe('account ids', () => {
  it('start after the admin and the guest and have no gaps if taken one by one', async () => {
    const { counter } = new EmbeddedService();
    const ids = new AccountIds(counter, 1);
    expect([await ids.next(), await ids.next(), await ids.next()]).toEqual([3, 4, 5]);
  });

  it.each([1, 10])('are unique across gateways that concurrently take blocks of %i', async (blockSize) => {
    const { counter } = new EmbeddedService();
    const gateways = [new AccountIds(counter, blockSize), new AccountIds(counter, blockSize)];
    const taken = (await Promise.all(gateways.map((ids) => take(ids, 50)))).flat();
    expect(new Set(taken).size).toBe(100);
    expect(Math.min(...taken)).toBe(3);
  });
});
