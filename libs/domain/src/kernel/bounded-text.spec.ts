import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginningOf, bytesOf, requireBound } from './bounded-text.js';

it('a text may have as many bytes as its bound, and not one more', () => {
  requireBound('ä'.repeat(5), 10, 'username-too-long');
  expect(() => requireBound(`${'ä'.repeat(5)}a`, 10, 'username-too-long')).toThrow('username-too-long');
});

it.each([
  ['a', 1],
  ['ä語😀', 9],
  ['"\\\n\r\t', 10],
  ['\0\b\f\x1f', 24],
  ['<>&\u2028\u2029', 30],
  ['\ud800a\udc00', 13],
])('%j takes %i bytes of an answer', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

it.each([
  ['curl/8', 'curl/8'],
  ['0123456789', '0123456789'],
  ['0123456789a', '0123456789'],
  ['012345678ä', '012345678'],
  ['0123456😀', '0123456'],
  ['', ''],
])('the beginning of %j in ten bytes is %j', (text, beginning) => {
  expect(beginningOf(text, 10)).toBe(beginning);
});

it('the beginning of any text fits and lacks less than one letter', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, bytes) => {
      const beginning = beginningOf(text, bytes);
      expect(text.startsWith(beginning)).toBe(true);
      expect(Buffer.byteLength(beginning)).toBeLessThanOrEqual(bytes);
      if (beginning !== text) expect(Buffer.byteLength(beginning)).toBeGreaterThan(bytes - 4);
    }),
  );
});
