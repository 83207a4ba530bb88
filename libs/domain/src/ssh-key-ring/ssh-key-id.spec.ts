import { describe, expect, it } from 'vitest';
import { accountOfKey, keyIdOf, LAST_KEY_NUMBER } from './ssh-key-id.js';

describe('a key id', () => {
  it('is the id of the account times 2^20 plus the number of the key', () => {
    expect(keyIdOf(7, 1)).toBe(7 * 1_048_576 + 1);
  });

  it.each([1, 7, 2 ** 33 - 1])('identifies account %i, from its first to its last key', (accountId) => {
    expect(accountOfKey(keyIdOf(accountId, 1))).toBe(accountId);
    expect(accountOfKey(keyIdOf(accountId, LAST_KEY_NUMBER))).toBe(accountId);
    expect(Number.isSafeInteger(keyIdOf(accountId, LAST_KEY_NUMBER))).toBe(true);
  });

  it('is lower than those of the next account', () => {
    expect(keyIdOf(7, LAST_KEY_NUMBER)).toBeLessThan(keyIdOf(8, 1));
  });
});
