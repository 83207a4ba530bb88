import { describe, expect, it } from 'vitest';
import { atoi, pageOf, parsePaging } from './query-numbers.js';
import { parseQuery } from './query-parameters.js';
import { Refusal } from './refusal.js';

describe('atoi', () => {
  it.each([
    ['1', 1],
    ['+1', 1],
    ['0001', 1],
    ['-5', -5],
  ])('reads %s', (text, number) => {
    expect(atoi(text)).toBe(number);
  });

  it.each([
    ['', 'strconv.Atoi: parsing "": invalid syntax'],
    ['abc', 'strconv.Atoi: parsing "abc": invalid syntax'],
    ['"<x>&', String.raw`strconv.Atoi: parsing "\"<x>&": invalid syntax`],
    ['9223372036854775808', 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
  ])('refuses %j with the text of the original', (text, message) => {
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
  ])('%j shows everything', (query) => {
    expect(pageOf(items, paging(query))).toEqual(items);
  });

  it.each([
    ['page=1&per_page=2', ['a', 'b']],
    ['page=2&per_page=2', ['c']],
    ['page=9&per_page=2', []],
    ['page=2', []],
    ['page=3', []],
    ['page=9223372036854775807', []],
    ['page=9223372036854775807&per_page=9223372036854775807', []],
    ['page=1&per_page=2&page=2', ['a', 'b']],
  ])('%s shows its part', (query, part) => {
    expect(pageOf(items, paging(query))).toEqual(part);
  });

  it.each([
    ['page=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['page=x&per_page=y', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['page=1&per_page=1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['per_page=9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['page=%zz', 'invalid URL escape "%zz"'],
    ['page=x&other=1;2', 'invalid semicolon separator in query'],
  ])('%s is refused', (query, message) => {
    expect(() => paging(query)).toThrow(new Refusal(400, message));
  });
});
