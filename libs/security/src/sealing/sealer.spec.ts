import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SealBroken, Sealer, sealingKeyIdOf, UnknownSealingKey } from './sealer.js';

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const old = newKey('old');
const current = newKey('new');
const sealer = new Sealer([current, old]);

describe('derived bytes', () => {
  test('depend only on the key and the purpose', () => {
    expect(sealer.derive('a', 16)).toEqual(new Sealer([current]).derive('a', 16));
    expect(sealer.derive('a', 16)).not.toEqual(sealer.derive('b', 16));
    expect(sealer.derive('a', 16)).not.toEqual(new Sealer([old]).derive('a', 16));
  });
});

test('bytes are derived with each key as if it were the first one', () => {
  const asFirst = [new Sealer([current]), new Sealer([old])].map((each) => each.derive('a', 16));
  expect(sealer.deriveWithEach('a', 16)).toEqual(asFirst);
});

test('an HMAC names its key, and is that of one text, purpose and key', () => {
  const hmac = sealer.hmac('text', 'a');
  expect(hmac).toMatch(/^new\.[\w-]{43}$/);
  expect(new Sealer([old, current]).hmac('text', 'a', 'new')).toBe(hmac);
  expect(new Sealer([old]).hmac('text', 'a', 'new')).toBeUndefined();
  for (const other of [
    sealer.hmac('texts', 'a'),
    sealer.hmac('text', 'b'),
    new Sealer([newKey('new')]).hmac('text', 'a'),
  ])
    expect(other).not.toBe(hmac);
});

describe('a sealed text', () => {
  test('opens to the original text', () => {
    const texts = [fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })] as const;
    fc.assert(
      fc.property(...texts, (plain, context) => {
        expect(sealer.open(sealer.seal(plain, context), context)).toBe(plain);
      }),
    );
  });

  test('contains the key id, IV, ciphertext and tag', () => {
    const sealed = sealer.seal('12345', 'c');
    expect(sealed).toMatch(/^new\.[\w-]+$/);
    expect(Buffer.from(sealed.slice(4), 'base64url')).toHaveLength(12 + 5 + 16);
  });

  test('differs each time', () => {
    expect(sealer.seal('x', 'c')).not.toBe(sealer.seal('x', 'c'));
  });

  test('of an older key opens if that key follows a new one', () => {
    const sealed = new Sealer([old]).seal('secret', 'c');
    expect(sealer.open(sealed, 'c')).toBe('secret');
  });

  test('of a removed key is refused with the id of the key and a remedy', () => {
    const sealed = sealer.seal('secret', 'c');
    expect(() => new Sealer([old]).open(sealed, 'c')).toThrow(UnknownSealingKey);
    expect(() => new Sealer([old]).open(sealed, 'c')).toThrow('Add it as "new:<key>"');
  });

  test('of an older key is resealed with the first one, then opens without the older one', () => {
    const resealed = sealer.reseal(new Sealer([old]).seal('secret', 'c'), 'c') ?? '';
    expect(sealingKeyIdOf(resealed)).toBe('new');
    expect(new Sealer([current]).open(resealed, 'c')).toBe('secret');
  });

  test('of the first key is not resealed, but must open', () => {
    const sealed = sealer.seal('secret', 'c');
    expect(sealer.reseal(sealed, 'c')).toBeUndefined();
    expect(() => sealer.reseal(sealed, 'other')).toThrow(SealBroken);
  });

  test('names its key; a text that is not sealed names none', () => {
    expect(sealingKeyIdOf(new Sealer([old]).seal('secret', 'c'))).toBe('old');
    expect(sealingKeyIdOf('secret')).toBeUndefined();
  });

  test('does not open for another context', () => {
    expect(() => sealer.open(sealer.seal('secret', 'account-1'), 'account-2')).toThrow(SealBroken);
  });

  test('does not open with another key of the same id', () => {
    expect(() => new Sealer([newKey('new')]).open(sealer.seal('secret', 'c'), 'c')).toThrow(SealBroken);
  });

  test('does not open if any character is changed', () => {
    const sealed = sealer.seal('secret', 'c');
    const letter = fc.constantFrom(...'ABab01-_=+/. ');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), letter, (at, changed) => {
        fc.pre(sealed[at] !== changed);
        const other = sealed.slice(0, at) + changed + sealed.slice(at + 1);
        expect(() => sealer.open(other, 'c')).toThrow(/^cannot open a stored secret/);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['', 'secret', 'new.', 'new.AAAA', '.AAAA', `new.${'A'.repeat(37)}`])('cannot be %j', (text) => {
    expect(() => sealer.open(text, 'c')).toThrow(SealBroken);
  });
});

describe('a sealer', () => {
  test.each([
    ['no key', [], 'no sealing key is configured'],
    ['a short key', [{ id: 'k', key: randomBytes(31) }], 'must have 32 bytes'],
    ['two keys of one id', [newKey('k'), newKey('k')], 'have the same id'],
  ])('cannot be created with %s', (_title, keys, message) => {
    expect(() => new Sealer(keys)).toThrow(message);
  });
});
