import { ArrayNotEmpty, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.js';
import { checkedBody, checkedKnownFields, checkedQuery, instantOf, IsInstant } from './checked-input.js';
import { parseQuery } from './query-parameters.js';

class Ticket {
  @Length(1, 5) name = '';
  @ArrayNotEmpty() @IsIn(['read', 'write'], { each: true }) scopes: string[] = [];
  @IsOptional() @IsInstant() expires: string | null = null;
}

class Search {
  @IsString() text = '';
  @IsOptional() @IsInstant() from?: string = undefined;
}

const read = (body: unknown, type = 'application/json') =>
  checkedBody(Ticket, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), type);
const linesOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal && error.code === 400) return error.message.split('\n');
    throw error;
  }
  return [];
};

describe('a body', () => {
  const ticket = { name: 'bus', scopes: ['read'], expires: '2027-01-31T12:00:00Z' };

  it('is an instance of its class, and a missing field has its default', () => {
    expect(read(ticket)).toBeInstanceOf(Ticket);
    expect(read(ticket)).toEqual(ticket);
    expect(read({ name: 'bus', scopes: ['read'] }).expires).toBeNull();
  });

  it('is refused with a line for each wrong, missing or unknown field', () => {
    expect(linesOf(() => read({ name: 'too long', expires: 'never', expire: 1 }))).toEqual([
      'name must be shorter than or equal to 5 characters',
      'scopes should not be empty',
      'expires must be an RFC 3339 time such as 2027-01-31T12:00:00Z',
      'unknown field "expire"',
    ]);
  });

  it.each([
    ['another type', { ...ticket, name: 7 }, 'name must be longer than or equal to 1 and'],
    ['one wrong item', { ...ticket, scopes: ['read', 'fly'] }, 'each value in scopes must be one of the following'],
    ['half of a surrogate pair', `{"name":"\\ud800","scopes":["read"]}`, 'name contains half of a surrogate pair'],
    [
      'the name of an inherited property',
      `{"name":"bus","scopes":["read"],"__proto__":{}}`,
      'unknown field "__proto__"',
    ],
    ['a very long unknown name', { ...ticket, ['x'.repeat(9_000)]: 1 }, `unknown field "${'x'.repeat(100)}"`],
  ])('with %s is refused', (_, body, line) => {
    const lines = linesOf(() => read(body));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(line);
  });

  it.each(['', 'null', '[]', '"text"', '7', '{', '{"name":'])('%j is refused, because it is no JSON object', (text) => {
    expect(linesOf(() => read(text))).toEqual(['the body must be a JSON object, sent as application/json']);
  });

  it('is refused if it is not UTF-8, not JSON by its type, or missing', () => {
    const refusal = ['the body must be a JSON object, sent as application/json'];
    expect(linesOf(() => checkedBody(Ticket, Buffer.from([0x22, 0xff, 0x22]), 'application/json'))).toEqual(refusal);
    expect(linesOf(() => read(ticket, 'text/plain'))).toEqual(refusal);
    expect(linesOf(() => checkedBody(Ticket, undefined, undefined))).toEqual(refusal);
  });

  it.each(['Application/JSON', 'application/json ;x=y'])('%s is JSON', (type) => {
    expect(read(ticket, type).name).toBe('bus');
  });

  it('with more than 32 fields is refused unread', () => {
    const fields = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`f${at}`, at]));
    expect(linesOf(() => read(fields))).toEqual(['too many fields: at most 32']);
  });
});

describe('a body of another program', () => {
  const readKnown = (body: object) => checkedKnownFields(Ticket, Buffer.from(JSON.stringify(body)), 'application/json');

  it('may have any number of unknown fields, which are left out', () => {
    const more = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, at]));
    expect(readKnown({ ...more, name: 'bus', scopes: ['read'] })).toEqual({
      name: 'bus',
      scopes: ['read'],
      expires: null,
    });
  });

  it('is refused for the same mistakes in known fields', () => {
    expect(linesOf(() => readKnown({ name: 'too long', scopes: ['read'], more: 1 }))).toEqual([
      'name must be shorter than or equal to 5 characters',
    ]);
    expect(linesOf(() => readKnown([]))).toEqual(['the body must be a JSON object, sent as application/json']);
  });
});

describe('a query', () => {
  const search = (query: string) => checkedQuery(Search, parseQuery(query));

  it('is an instance of its class, and the first of several values counts', () => {
    expect(search('text=a%20b&text=c')).toEqual({ text: 'a b', from: undefined });
  });

  it('is refused with a line for each wrong or unknown field', () => {
    expect(linesOf(() => search('from=today&fron=1'))).toEqual([
      'from must be an RFC 3339 time such as 2027-01-31T12:00:00Z',
      'unknown field "fron"',
    ]);
  });

  it('is refused if it is malformed', () => {
    expect(linesOf(() => search('text=%zz'))).toEqual(['invalid URL escape "%zz"']);
  });
});

it.each([
  ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
  ['2027-01-31t12:00:00.25z', '2027-01-31T12:00:00.250Z'],
  ['2027-01-31T00:30:00+02:00', '2027-01-30T22:30:00.000Z'],
  ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
])('%s is a time', (text, time) => {
  expect(new Date(instantOf(text)!).toJSON()).toBe(time);
});

it.each([
  '',
  '2027-01-31T12:00:00',
  '2027-01-31 12:00:00Z',
  '2027-02-29T12:00:00Z',
  '2027-01-31T25:00:00Z',
  '2027-01-31T12:00:00+0200',
  ' 2027-01-31T12:00:00Z',
])('%j is no time', (text) => {
  expect(instantOf(text)).toBeUndefined();
});
