import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCommonPassword, weaknessOf } from './guessable-secrets.js';

describe('a secret that can be guessed', () => {
  test.each([
    ['x'.repeat(48), 'repeats itself'],
    ['0123456789abcdef0123456789abcdef', 'repeats itself'],
    ['correct horse battery, correct horse battery, ', 'repeats itself'],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 'is mostly a sequence'],
    ['zyxwvutsrqponmlkjihgfedcba9876543210', 'is mostly a sequence'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'has too few different characters'],
    ['010011010111010001010101110100011010', 'has too few different characters'],
    ['your-super-secret-jwt-signing-key-change-me', 'consists of common words'],
    ['Please-Replace-This-Secret-With-Your-Own', 'consists of common words'],
    ['keyfold token secret, please change me!', 'consists of common words'],
    ['aabbccddeeffgghhiijjkkllmmnnooppqqrrss', 'is mostly a sequence of neighbouring characters'],
    ['qwertyuiopasdfghjklzxcvbnm1234567890', 'is mostly a sequence of neighbouring keys'],
    ['QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?!@#', 'is mostly a sequence of neighbouring keys'],
    ['1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.', 'is mostly a sequence of neighbouring keys'],
    ['qwertzuiopüasdfghjklöäyxcvbnm,.-1234', 'is mostly a sequence of neighbouring keys'],
    ['azertyuiopqsdfghjklmwxcvbn,;:!1234567', 'is mostly a sequence of neighbouring keys'],
    ['qqwweerrttyyuuiiooppaassddffgghhjjkkll', 'is mostly a sequence of neighbouring keys'],
    ['the quick brown fox jumps over the lazy dog', 'is a sample sentence'],
    ['TheQuickBrownFoxJumpsOverTheLazyDog!', 'is a sample sentence'],
    ['pack my box with five dozen liquor jugs', 'is a sample sentence'],
    ['SPHINX OF BLACK QUARTZ, JUDGE MY VOW 2026', 'is a sample sentence'],
  ])('%j %s', (secret, weakness) => {
    expect(weaknessOf(secret)).toContain(weakness);
  });

  test.each([
    [Buffer.alloc(32), 'repeats itself'],
    [Buffer.from('deadbeef'.repeat(8), 'hex'), 'repeats itself'],
    [Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 'is mostly a sequence'],
    [Buffer.concat([Buffer.alloc(31), Buffer.of(1)]), 'has too few different'],
  ])('as bytes %s', (key, weakness) => {
    expect(weaknessOf(key)).toContain(weakness);
  });
});

describe('a random secret', () => {
  // Uniform bytes: fast-check prefers small and equal values, which do not resemble random secrets.
  const uniform = (length: number) => fc.noBias(fc.uint8Array({ minLength: length, maxLength: length }));

  test.each(['hex', 'base64', 'base64url'] as const)('has no weakness in %s', (encoding) => {
    fc.assert(
      fc.property(uniform(32), (key) => {
        expect(weaknessOf(Buffer.from(key).toString(encoding))).toBeUndefined();
        expect(weaknessOf(key)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('has no weakness with 32 hex digits, the smallest alphabet', () => {
    fc.assert(
      fc.property(uniform(16), (key) => {
        expect(weaknessOf(Buffer.from(key).toString('hex'))).toBeUndefined();
      }),
      // One random text in 10,000 looks weak, so the texts are always the same.
      { numRuns: 300, seed: 1 },
    );
  });

  test('has no weakness with 40 digits or 36 small letters', () => {
    const text = (alphabet: string, length: number) =>
      uniform(length).map((bytes) => [...bytes].map((byte) => alphabet[byte % alphabet.length]).join(''));
    const texts = fc.oneof(text('0123456789', 40), text('abcdefghijklmnopqrstuvwxyz', 36));
    fc.assert(
      fc.property(texts, (secret) => {
        expect(weaknessOf(secret)).toBeUndefined();
      }),
      // One random text in 10,000 looks weak, so the texts are always the same.
      { numRuns: 300, seed: 1 },
    );
  });

  test('has no weakness as a passphrase of unusual words', () => {
    expect(weaknessOf('ostrich gravel mandolin quorum, a tenth of Lisbon')).toBeUndefined();
  });
});

test.each(['password', 'Password1', '123456', 'QWERTYUIOP', 'letmein'])('%s is a common password', async (password) => {
  expect(await isCommonPassword(password)).toBe(true);
});

test.each(['', 'ostrich gravel mandolin', 'password of the third floor', 'Xq7-vvR2-mn0P'])(
  '%j is not a common password',
  async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  },
);
