import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goQuote, parseWhole, wholeRanges } from './go-text.js';

describe('goQuote', () => {
  it.each([
    ['abc', '"abc"'],
    ['', '""'],
    [' 1', '" 1"'],
    ['"\\', String.raw`"\"\\"`],
    ['\x07\b\f\n\r\t\v', String.raw`"\a\b\f\n\r\t\v"`],
    ['\0\x1f\x7f', String.raw`"\x00\x1f\x7f"`],
    ['\x80\u00a0\u00ad\u2028', String.raw`"\u0080\u00a0\u00ad\u2028"`],
    ['\u{e0001}', String.raw`"\U000e0001"`],
    ['<é名🦊\ufffd>', '"<é名🦊\ufffd>"'],
    ['\udcff\udc80\ufffd', '"\\xff\\x80\ufffd"'],
  ])('quotes %j as Go does', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('parseWhole', () => {
  it('reads every safe integer', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        // `toBe` distinguishes -0.
        expect(parseWhole(String(number), 'int')).toBe(number + 0);
      }),
    );
  });

  it.each(['+7', '007', `+${'0'.repeat(40)}7`, '7'])('reads %s as 7', (text) => {
    expect(parseWhole(text, 'uint64')).toBe(7);
  });

  it.each(['', '+', '-', ' 7', '7 ', '1.5', '1e3', '0x1', '1_000', '٧'])('rejects %j', (text) => {
    expect(parseWhole(text, 'int')).toBe('invalid syntax');
  });

  it('reports too many digits before an invalid character', () => {
    expect(parseWhole(`${'9'.repeat(23)}abc`, 'int')).toBe('value out of range');
    expect(parseWhole('-18446744073709551616x', 'int')).toBe('value out of range');
    expect(parseWhole('18446744073709551615x', 'int')).toBe('invalid syntax');
    expect(parseWhole('9223372036854775808x', 'int')).toBe('invalid syntax');
    expect(parseWhole(`${'0'.repeat(40)}7x`, 'int')).toBe('invalid syntax');
    expect(parseWhole(`x${'9'.repeat(23)}`, 'int')).toBe('invalid syntax');
  });

  it.each(['uint64', 'int', 'int32'] as const)('accepts exactly the range of %s', (kind) => {
    const [min, max] = wholeRanges[kind];
    expect(parseWhole(String(min), kind)).toBeTypeOf('number');
    expect(parseWhole(String(max), kind)).toBeTypeOf('number');
    expect(parseWhole(String(min - 1n), kind)).toBe('value out of range');
    expect(parseWhole(String(max + 1n), kind)).toBe('value out of range');
    expect(parseWhole('9'.repeat(1_000_000), kind)).toBe('value out of range');
  });

  it('clamps instead of rounding to another valid number', () => {
    expect(parseWhole('9007199254740993', 'uint64')).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseWhole('-9007199254740993', 'int')).toBe(Number.MIN_SAFE_INTEGER);
  });
});
