import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { appPasswordHash, isSameAppPasswordHash, newAppPassword } from './app-password-text.js';

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
    expect(isSameAppPasswordHash(hash, hash)).toBe(true);
    expect(isSameAppPasswordHash(hash, newAppPassword().hash)).toBe(false);
  });
});
