import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SealBroken, Sealer, sealingKeyIdOf, UnknownSealingKey } from './sealer.js';

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const old = newKey('old');
const current = newKey('new');
const sealer = new Sealer([current, old]);

describe('derived bytes', () => {
  test('are the same for the same key and purpose, and others for another', () => {
    expect(sealer.derive('a', 16)).toEqual(new Sealer([current]).derive('a', 16));
    expect(sealer.derive('a', 16)).not.toEqual(sealer.derive('b', 16));
    expect(sealer.derive('a', 16)).not.toEqual(new Sealer([old]).derive('a', 16));
  });
});

describe('a sealed text', () => {
  test('opens to what was sealed', () => {
    const texts = [fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })] as const;
    fc.assert(
      fc.property(...texts, (plain, context) => {
        expect(sealer.open(sealer.seal(plain, context), context)).toBe(plain);
      }),
    );
  });

  test('names its key and holds iv, ciphertext and tag', () => {
    const sealed = sealer.seal('12345', 'c');
    expect(sealed).toMatch(/^new\.[\w-]+$/);
    expect(Buffer.from(sealed.slice(4), 'base64url')).toHaveLength(12 + 5 + 16);
  });

  test('is another one each time', () => {
    expect(sealer.seal('x', 'c')).not.toBe(sealer.seal('x', 'c'));
  });

  test('of an older key opens when the key stands behind a new one', () => {
    const sealed = new Sealer([old]).seal('secret', 'c');
    expect(sealer.open(sealed, 'c')).toBe('secret');
  });

  test('of a key that is gone says which key is missing and what to do', () => {
    const sealed = sealer.seal('secret', 'c');
    expect(() => new Sealer([old]).open(sealed, 'c')).toThrow(UnknownSealingKey);
    expect(() => new Sealer([old]).open(sealed, 'c')).toThrow('add it again as "new:<key>"');
  });

  test('of an older key is resealed with the first one, and then opens without the older', () => {
    const resealed = sealer.reseal(new Sealer([old]).seal('secret', 'c'), 'c') ?? '';
    expect(sealingKeyIdOf(resealed)).toBe('new');
    expect(new Sealer([current]).open(resealed, 'c')).toBe('secret');
  });

  test('of the first key needs no resealing, but must open', () => {
    const sealed = sealer.seal('secret', 'c');
    expect(sealer.reseal(sealed, 'c')).toBeUndefined();
    expect(() => sealer.reseal(sealed, 'other')).toThrow(SealBroken);
  });

  test('names its key, and a text that is not sealed names none', () => {
    expect(sealingKeyIdOf(new Sealer([old]).seal('secret', 'c'))).toBe('old');
    expect(sealingKeyIdOf('secret')).toBeUndefined();
  });

  test('does not open for another context', () => {
    expect(() => sealer.open(sealer.seal('secret', 'account-1'), 'account-2')).toThrow(SealBroken);
  });

  test('does not open with another key of the same id', () => {
    expect(() => new Sealer([newKey('new')]).open(sealer.seal('secret', 'c'), 'c')).toThrow(SealBroken);
  });

  test('does not open when any one letter of it is another', () => {
    const sealed = sealer.seal('secret', 'c');
    const letter = fc.constantFrom(...'ABab01-_=+/. ');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), letter, (at, changed) => {
        fc.pre(sealed[at] !== changed);
        const other = sealed.slice(0, at) + changed + sealed.slice(at + 1);
        expect(() => sealer.open(other, 'c')).toThrow(/^a stored secret/);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['', 'secret', 'new.', 'new.AAAA', '.AAAA', `new.${'A'.repeat(37)}`])('is not %j', (text) => {
    expect(() => sealer.open(text, 'c')).toThrow(SealBroken);
  });
});

describe('a sealer', () => {
  test.each([
    ['no key', [], 'there is no sealing key'],
    ['a short key', [{ id: 'k', key: randomBytes(31) }], 'must have 32 bytes'],
    ['two keys of one id', [newKey('k'), newKey('k')], 'have the same id'],
  ])('is not made of %s', (_title, keys, message) => {
    expect(() => new Sealer(keys)).toThrow(message);
  });
});
