import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { oathtoolCode } from '../../../../test/support/oathtool.js';
import { matchingStep, newTotpSecret } from './one-time-code.js';

describe('the codes of oathtool', () => {
  const moments = Array.from({ length: 40 }, () => ({ secret: newTotpSecret(), second: randomInt(60, 2 ** 33) }));

  test('match in their step and its two neighbours', () => {
    for (const { secret, second } of moments) {
      const code = oathtoolCode(secret, second);
      const step = Math.floor(second / 30);
      const matches = [-30, 0, 30].map((shift) => matchingStep(secret, code, (second + shift) * 1000));
      expect(matches, `${secret} at ${second}`).toEqual([step, step, step]);
    }
  });

  test('match only one secret', () => {
    const [one, other] = [newTotpSecret(), newTotpSecret()];
    const seconds = Array.from({ length: 10 }, (_, n) => 1_800_000_000 + n * 300);
    const strangers = seconds.filter(
      (second) => matchingStep(other, oathtoolCode(one, second), second * 1000) !== undefined,
    );
    // One wrong secret in 333,333 matches by chance; two in ten practically never do.
    expect(strangers.length).toBeLessThan(2);
  });
});
