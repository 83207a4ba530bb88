import { expect, it } from 'vitest';
import { accountOfId, LAST_NUMBER, numberedId } from './numbered-ids.js';

it('an id is that of the account times 2^20 plus a number, and below those of the next account', () => {
  expect(numberedId(7, 1)).toBe(7 * 1_048_576 + 1);
  expect(numberedId(7, LAST_NUMBER)).toBeLessThan(numberedId(8, 1));
});

it.each([1, 7, 2 ** 33 - 1])('the ids of account %i identify it, from the first to the last', (accountId) => {
  expect([1, LAST_NUMBER].map((n) => accountOfId(numberedId(accountId, n)))).toEqual([accountId, accountId]);
  expect(Number.isSafeInteger(numberedId(accountId, LAST_NUMBER))).toBe(true);
});
