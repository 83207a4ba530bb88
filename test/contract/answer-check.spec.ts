import { describe, expect, it } from 'vitest';
import { answerDifferences } from './answer-check.js';
import type { HttpAnswer } from './recording.js';

const received = {
  status: 200,
  headers: { 'content-type': 'application/json', 'retry-after': '30' },
  body: '{"code":200,"data":{"content":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"total":2}}',
};

const equal: Omit<HttpAnswer, 'status'>[] = [
  { type: 'application/json' },
  { headers: { 'retry-after': '<<int>>', allow: null } },
  { body: '{"code":200,"data":{"content":[{"id":<<int>>,"name":"a"},{"id":2,"name":"b"}],"total":2}}' },
  { has: ['"id":1', '"total":<<int>>'], lacks: ['"id":3'] },
  { keys: ['content', 'total'], eachKeys: ['id', 'name'], length: 2 },
];

const different: [Omit<HttpAnswer, 'status'>, string][] = [
  [{ type: 'text/plain' }, 'content-type: at character 0: expected "text/plain", got "application/json"'],
  [{ type: null }, 'content-type: expected none, got application/json'],
  [{ headers: { 'retry-after': null } }, 'retry-after: expected none, got 30'],
  [{ headers: { allow: 'GET' } }, 'allow: expected GET, got none'],
  [{ body: '{"code":400}' }, 'body: at character 8: expected "400}", got '],
  [{ has: ['"id":3'] }, 'body: lacks "id":3'],
  [{ lacks: ['"id":2'] }, 'body: has "id":2'],
  [{ keys: ['total', 'content'] }, 'data: expected the keys total,content, got content,total'],
  [{ eachKeys: ['id'] }, 'item 0: expected the keys id, got id,name'],
  [{ length: 3 }, 'data: expected 3 items, got 2'],
  [{ strings: true }, 'data.total: expected a string, got 2'],
];

describe('an answer with listed keys', () => {
  const key = '"id":1,"last_used_time":"2026-01-15T12:00:00.000Z"';
  const md5 = `MD5:${Array.from({ length: 16 }, () => 'a0').join(':')}`;
  const more = String.raw`,"type":"ssh-rsa","bits":2048,"comment":"a \"b\" c","fingerprint_md5":"${md5}","expires_time":null,"expired":false`;
  const answer = (fields: string) => ({ status: 200, headers: {}, body: `{"content":[{${fields}},{${fields}}]}` });
  const expected = { status: 200, body: `{"content":[{${key}},{${key}}]}` };

  it('matches with the fields that Keyfold adds at the end of each', () => {
    expect(answerDifferences(expected, answer(key))).toEqual([]);
    expect(answerDifferences(expected, answer(key + more))).toEqual([]);
  });

  it.each([
    ['before a field of the contract', `"id":1${more},"last_used_time":"2026-01-15T12:00:00.000Z"`],
    ['before another field', `${key}${more},"other":1`],
    ['after another field', `${key},"other":1${more}`],
  ])('differs if they come %s', (_where, fields) => {
    expect(answerDifferences(expected, answer(fields))).not.toEqual([]);
  });
});

describe('an answer', () => {
  it.each(equal)('matches %j', (expected) => {
    expect(answerDifferences({ status: 200, ...expected }, received)).toEqual([]);
  });

  it.each(different)('differs from %j', (expected, difference) => {
    expect(answerDifferences({ status: 200, ...expected }, received).join('\n')).toContain(difference);
  });

  it('differs in its status', () => {
    expect(answerDifferences({ status: 204 }, received)).toEqual(['status: expected 204, got 200']);
  });

  it('has a list as its data or as the content of a page', () => {
    const list = { ...received, body: '{"data":["a","b"]}' };
    expect(answerDifferences({ status: 200, length: 2, strings: true }, list)).toEqual([]);
  });

  it.each(['', 'not json', '{"data":null}', '{"data":[]}', '{"data":{"content":null}}'])(
    'of %j has no list with items',
    (body) => {
      expect(answerDifferences({ status: 200, eachKeys: ['id'] }, { ...received, body })).not.toEqual([]);
    },
  );

  it('that is not JSON contains no strings', () => {
    expect(answerDifferences({ status: 200, strings: true }, { ...received, body: 'oops' })).toEqual([
      'body: is not JSON with data',
    ]);
  });
});
