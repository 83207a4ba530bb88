import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { matchingStep, newTotpSecret } from './one-time-code.js';

/** Installs oathtool where that is possible without asking; else fails, because a comparison that is skipped proves nothing. */
beforeAll(() => {
  if (isThere()) return;
  if (!process.env['CI'] && process.getuid?.() === 0) {
    const quiet = { stdio: 'ignore' } as const;
    spawnSync('apt-get', ['update'], quiet);
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'oathtool'], quiet);
  }
  if (!isThere()) throw new Error('oathtool is missing: install the package oathtool (oath-toolkit)');
}, 180_000);

const isThere = () => spawnSync('oathtool', ['--version']).status === 0;

const codeOf = (secret: string, second: number) =>
  execFileSync('oathtool', ['--totp', '--base32', '--now', `@${second}`, secret], { encoding: 'utf8' }).trim();

describe('the codes of oathtool', () => {
  const moments = Array.from({ length: 40 }, () => ({ secret: newTotpSecret(), second: randomInt(60, 2 ** 33) }));

  test('match in their step and the two beside it', () => {
    for (const { secret, second } of moments) {
      const code = codeOf(secret, second);
      const step = Math.floor(second / 30);
      const matches = [-30, 0, 30].map((shift) => matchingStep(secret, code, (second + shift) * 1000));
      expect(matches, `${secret} at ${second}`).toEqual([step, step, step]);
    }
  });

  test('match only one secret', () => {
    const [one, other] = [newTotpSecret(), newTotpSecret()];
    const seconds = Array.from({ length: 10 }, (_, n) => 1_800_000_000 + n * 300);
    const strangers = seconds.filter((second) => matchingStep(other, codeOf(one, second), second * 1000) !== undefined);
    // One stranger in 333,333 fits by chance, two in ten never do.
    expect(strangers.length).toBeLessThan(2);
  });
});
