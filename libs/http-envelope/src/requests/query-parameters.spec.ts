import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.js';
import { atoi, pageOf, parsePaging, parseQuery } from './query-parameters.js';

describe('parseQuery', () => {
  it('returns the first of two values, and undefined for a missing parameter', () => {
    const query = parseQuery('id=1&id=2&x');
    expect(query.get('id')).toBe('1');
    expect(query.get('x')).toBe('');
    expect(query.get('ID')).toBeUndefined();
    expect(query.error).toBeUndefined();
    expect([...parseQuery('&&').entries(), ...parseQuery('&=x').entries()]).toEqual([['', 'x']]);
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

describe('atoi', () => {
  it.each([
    ['1', 1],
    ['+1', 1],
    ['-5', -5],
  ])('reads %s', (text, number) => {
    expect(atoi(text)).toBe(number);
  });

  it.each([
    ['', 'strconv.Atoi: parsing "": invalid syntax'],
    ['"<x>&', String.raw`strconv.Atoi: parsing "\"<x>&": invalid syntax`],
    ['9223372036854775808', 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
    [' 1', 'strconv.Atoi: parsing " 1": invalid syntax'],
    ['1\n', String.raw`strconv.Atoi: parsing "1\n": invalid syntax`],
    ['\udcff', String.raw`strconv.Atoi: parsing "\xff": invalid syntax`],
  ])('refuses %j with the message of the original', (text, message) => {
    expect(() => atoi(text)).toThrow(new Refusal(400, message));
  });
});

describe('paging', () => {
  const paging = (query: string) => parsePaging(parseQuery(query));
  const items = ['a', 'b', 'c'];

  it.each([
    '',
    'page=&per_page=',
    'page=0&per_page=0',
    'page=-1&per_page=-1',
    'per_page=9223372036854775807',
    'Page=2',
  ])('%j returns all items', (query) => {
    expect(pageOf(items, paging(query))).toEqual(items);
  });

  it.each([
    ['page=1&per_page=2', ['a', 'b']],
    ['page=2&per_page=2', ['c']],
    ['page=9&per_page=2', []],
    ['page=2', []],
    ['page=9223372036854775807&per_page=9223372036854775807', []],
    ['page=1&per_page=2&page=2', ['a', 'b']],
  ])('%s returns its part', (query, part) => {
    expect(pageOf(items, paging(query))).toEqual(part);
  });

  it.each([
    'page=+1&per_page=2',
    'page=%20&per_page=%0b2%0A',
    'page=%C2%851%C2%A0&per_page=%E3%80%802%E2%80%89',
    'page=%09%0d&per_page=+%2B2+',
  ])('%s is read without the surrounding white space', (query) => {
    expect(paging(query)).toEqual({ page: 1, perPage: 2 });
  });

  it('reads a number of any length in linear time', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(paging(`page=${zeros}2&per_page=3`)).toEqual({ page: 2, perPage: 3 });
    for (const text of [`${zeros}x`, `1${' '.repeat(1_000_000)}x`]) {
      expect(() => paging(`page=${text}`)).toThrow(': invalid syntax');
    }
  });

  it.each([
    ['page=+x+', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['page=1+1', 'strconv.ParseInt: parsing "1 1": invalid syntax'],
    ['page=%EF%BB%BF1', String.raw`strconv.ParseInt: parsing "\ufeff1": invalid syntax`],
    ['page=%851', String.raw`strconv.ParseInt: parsing "\x851": invalid syntax`],
    ['page=x&per_page=y', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['page=1&per_page=1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['per_page=9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['page=%zz', 'invalid URL escape "%zz"'],
    ['page=x&other=1;2', 'invalid semicolon separator in query'],
  ])('%s is refused', (query, message) => {
    expect(() => paging(query)).toThrow(new Refusal(400, message));
  });
});
