import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  appPasswordHash,
  isRecoveryCode,
  isSameSecretHash,
  matchingRecoveryCode,
  newAppPassword,
  newRecoveryCodes,
  recoveryCodeHashes,
} from './typed-secrets.js';

const TYPED = '7k3m-9qxa-0b2c-d4ef-5gh6';

describe('an app password', () => {
  it('is five groups of four letters without look-alikes', () => {
    for (let n = 0; n < 200; n++)
      expect(newAppPassword().text).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}$/);
  });

  it('has 100 random bits: each letter takes all 32 values', () => {
    const texts = Array.from({ length: 1_000 }, () => newAppPassword().text.replaceAll('-', ''));
    expect(new Set(texts).size).toBe(1_000);
    // A value is missing from a place with a probability of 20 * 32 * (31/32)^1000, which is 1 in 10^11.
    for (let place = 0; place < 20; place++) expect(new Set(texts.map((text) => text[place])).size).toBe(32);
  });

  it('is stored as the SHA-256 of its letters', () => {
    const { text, hash } = newAppPassword();
    const letters = text.replaceAll('-', '').toUpperCase();
    expect(hash).toBe(createHash('sha256').update(letters).digest('base64url'));
    expect(appPasswordHash(text)).toBe(hash);
  });

  it.each([
    TYPED.toUpperCase(),
    TYPED.replaceAll('-', ''),
    TYPED.replaceAll('-', ' '),
    ` ${TYPED}\t`,
    '7K3m 9qXa-0B2c d4ef5gh6',
    '7k3m-9qxa-ob2c-d4ef-5gh6',
  ])('is read without regard to letter case, dashes, white space and look-alikes: %j', (text) => {
    expect(appPasswordHash(text)).toBe(appPasswordHash(TYPED));
  });

  it('differs from every text with another letter', () => {
    fc.assert(
      fc.property(fc.nat(19), fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz'), (at, letter) => {
        const letters = TYPED.replaceAll('-', '');
        const other = letters.slice(0, at) + letter + letters.slice(at + 1);
        expect(appPasswordHash(other) === appPasswordHash(TYPED)).toBe(other === letters);
      }),
    );
  });

  it.each([
    '',
    TYPED.slice(1),
    `${TYPED}0`,
    TYPED.replace('k', 'u'),
    TYPED.replace('k', 'ä'),
    TYPED.replace('-', '_'),
    TYPED + ' '.repeat(41),
    '7k3m-9qxa-0b2c-d4ef',
  ])('is not read from %j', (text) => {
    expect(appPasswordHash(text)).toBeUndefined();
  });

  it('is compared by its whole hash', () => {
    const { hash } = newAppPassword();
    expect(isSameSecretHash(hash, hash)).toBe(true);
    expect(isSameSecretHash(hash, newAppPassword().hash)).toBe(false);
  });
});

describe('recovery codes', () => {
  const codes = newRecoveryCodes();
  const hashes = recoveryCodeHashes(codes);

  it('are ten different codes of 80 bits in groups', () => {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  });

  it('use every letter', () => {
    const letters = Array.from({ length: 40 }, newRecoveryCodes).flat().join('').replaceAll('-', '');
    expect(new Set(letters).size).toBe(32);
  });

  it('are stored as hashes', () => {
    for (const code of codes) expect(hashes).not.toContain(code.replaceAll('-', ''));
  });

  it('are found by their index in any spelling', () => {
    for (const [index, code] of codes.entries()) {
      for (const spelled of [code, code.toLowerCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')}\n`]) {
        expect(isRecoveryCode(spelled)).toBe(true);
        expect(matchingRecoveryCode(hashes, spelled)).toBe(index);
      }
    }
  });

  it('are found with letters that look alike', () => {
    const stored = recoveryCodeHashes(['1111-0000-ABCD-EFGH']);
    expect(matchingRecoveryCode(stored, 'iLI1-oO00-abcd-efgh')).toBe(0);
  });

  it('are not found if one letter differs', () => {
    const [code] = codes as [string];
    const wrong = code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A');
    expect(matchingRecoveryCode(hashes, wrong)).toBeUndefined();
    expect(matchingRecoveryCode(hashes, '')).toBeUndefined();
  });

  it('differ in form from one-time codes and long texts', () => {
    for (const text of ['123456', '', 'ABCD-EFGH', 'x'.repeat(100_000)])
      expect(isRecoveryCode(text), text.slice(0, 20)).toBe(false);
  });
});
