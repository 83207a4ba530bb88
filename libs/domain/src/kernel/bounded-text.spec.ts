import fc from 'fast-check';
import { expect, it } from 'vitest';
import { truncate, bytesOf, requireMaxBytes } from './bounded-text.js';

it('a text may have as many bytes as its limit, and not one more', () => {
  requireMaxBytes('ä'.repeat(5), 10, 'username-too-long');
  expect(() => requireMaxBytes(`${'ä'.repeat(5)}a`, 10, 'username-too-long')).toThrow('username-too-long');
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
])('%j truncated to ten bytes is %j', (text, beginning) => {
  expect(truncate(text, 10)).toBe(beginning);
});

it('a truncated text fits and lacks less than one character of the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, bytes) => {
      const beginning = truncate(text, bytes);
      expect(text.slice(0, beginning.length)).toBe(beginning);
      expect(Buffer.byteLength(beginning)).toBeLessThanOrEqual(bytes);
      if (beginning !== text) expect(Buffer.byteLength(beginning)).toBeGreaterThan(bytes - 4);
    }),
  );
});
