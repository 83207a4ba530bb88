import { describe, expect, it } from 'vitest';
import { goQuote } from './go-quote.js';

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
