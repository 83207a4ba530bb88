import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { accessTokenText, isAccessTokenForm, newAccessTokenSecret, readAccessToken } from './access-token-text.js';

const SECRET = '2'.repeat(27);
const tokenId = fc.integer({ min: 2 ** 20 + 1, max: Number.MAX_SAFE_INTEGER });

describe('the text of an access token', () => {
  it('is a prefix, nine digits of the id, 27 of the secret and six of the checksum', () => {
    const text = accessTokenText(44040193, SECRET);
    expect(text).toBe(`kf_00002ymrh${SECRET}${text.slice(-6)}`);
    expect(Number(valueOf(text.slice(-6)))).toBe(crc32(text.slice(0, -6)));
  });

  it('leads back to its id and to the hash of its secret, and always has the same length and form', () => {
    fc.assert(
      fc.property(tokenId, (id) => {
        const { secret, hash } = newAccessTokenSecret();
        const text = accessTokenText(id, secret);
        expect(text).toMatch(/^kf_[0-9A-Za-z]{42}$/);
        expect(isAccessTokenForm(text)).toBe(true);
        expect(readAccessToken(text)).toEqual({ tokenId: id, hash });
      }),
    );
  });

  it('with one other digit is not read, so that a mistyped token needs no look-up', () => {
    fc.assert(
      fc.property(tokenId, fc.nat(41), fc.integer({ min: 1, max: 61 }), (id, at, by) => {
        const text = accessTokenText(id, SECRET);
        const digit = ALL[(digitOf(text[3 + at]!) + by) % 62]!;
        expect(readAccessToken(text.slice(0, 3 + at) + digit + text.slice(4 + at))).toBeUndefined();
      }),
    );
  });

  it('with an id that is no safe integer is not read', () => {
    const text = `kf_${'z'.repeat(9)}${SECRET}`;
    expect(readAccessToken(text + accessTokenText(1, '0'.repeat(27)).slice(-6))).toBeUndefined();
    let sum = crc32(text);
    let digits = '';
    for (; digits.length < 6; sum = Math.floor(sum / 62)) digits = ALL[sum % 62]! + digits;
    expect(readAccessToken(text + digits)).toBeUndefined();
  });

  it.each(['', 'kf_', `kf_${'0'.repeat(41)}`, `kf_${'0'.repeat(43)}`, `KF_${'0'.repeat(42)}`, `kf_${'-'.repeat(42)}`])(
    '%j does not have the form of one',
    (text) => {
      expect(isAccessTokenForm(text)).toBe(false);
    },
  );
});

describe('a secret', () => {
  it('has 160 random bits and is stored as its SHA-256', () => {
    const secrets = Array.from({ length: 200 }, newAccessTokenSecret);
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(200);
    const values = secrets.map(({ secret }) => valueOf(secret));
    expect(values.filter((value) => value >= 2n ** 160n)).toEqual([]);
    // The highest bit is missing from all 200 with a probability of 2^-200.
    expect(values.filter((value) => value >= 2n ** 159n)).not.toEqual([]);
    const [{ secret, hash } = { secret: '', hash: '' }] = secrets;
    expect(hash).toBe(createHash('sha256').update(secret).digest('base64url'));
  });
});

const ALL = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digitOf = (digit: string) => ALL.indexOf(digit);
const valueOf = (digits: string) => [...digits].reduce((sum, digit) => sum * 62n + BigInt(digitOf(digit)), 0n);
