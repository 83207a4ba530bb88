import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './query-parameters.js';

describe('parseQuery', () => {
  it('returns the first of two values, and undefined for a missing parameter', () => {
    const query = parseQuery('id=1&id=2&x');
    expect(query.get('id')).toBe('1');
    expect(query.get('x')).toBe('');
    expect(query.get('ID')).toBeUndefined();
    expect(query.error).toBeUndefined();
  });

  it('accepts an empty query and one without pairs', () => {
    expect(parseQuery('').get('')).toBeUndefined();
    expect(parseQuery('&&').get('')).toBeUndefined();
    expect(parseQuery('=x').get('')).toBe('x');
  });

  it.each([
    ['a=+1', ' 1'],
    ['a=%2B1', '+1'],
    ['a=b=c', 'b=c'],
    ['%61=%3Cx%3e%26', '<x>&'],
    ['a=%E5%90%8D', '名'],
    ['a=\xe5\x90%8D', '名'],
    ['a=%ff', '\udcff'],
    ['a=%EF%BF%BD%E5%90', '\ufffd\udce5\udc90'],
    ['a=\xff', '\udcff'],
    ['%61%00=%ff&a=x', 'x'],
    ['a=%00%25', '\0%'],
    ['a=?/%C3%A9', '?/é'],
  ])('decodes %s byte by byte', (text, value) => {
    expect(parseQuery(text).get('a')).toBe(value);
  });

  it.each([
    ['page=%zz&b=1', 'invalid URL escape "%zz"'],
    ['page=%zzz&b=1', 'invalid URL escape "%zz"'],
    ['page=1%2&b=1', 'invalid URL escape "%2"'],
    ['page=%&b=1', 'invalid URL escape "%"'],
    ['page=%\xc3\xa9&b=1', 'invalid URL escape "%é"'],
    ['page=%\xff&b=1', String.raw`invalid URL escape "%\xff"`],
    ['%x=%y&b=1', 'invalid URL escape "%x"'],
    ['page=1;2&b=1', 'invalid semicolon separator in query'],
    ['page=;%zz&b=1&c=%', 'invalid semicolon separator in query'],
  ])('drops the malformed pair of %s and reports the error', (text, error) => {
    const query = parseQuery(text);
    expect(query.error).toBe(error);
    expect(query.get('page')).toBeUndefined();
    expect(query.get('b')).toBe('1');
  });

  it('decodes every query that URLSearchParams encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, value) => {
        expect(parseQuery(new URLSearchParams([[name, value]]).toString()).get(name)).toBe(value);
      }),
    );
  });

  it('reads a query of a million characters', () => {
    const query = parseQuery(`${'a=%41&'.repeat(170_000)}b=1`);
    expect([query.get('a'), query.get('b')]).toEqual(['A', '1']);
  });

  it('never throws, whatever characters the query contains', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseQuery(text).get(text)));
  });
});
