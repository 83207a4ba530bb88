import fc from 'fast-check';
import { successEnvelope } from './envelope.js';
import { describe, expect, it } from 'vitest';
import { JsonNumber, readJsonBody } from './json-body.js';
import { Refusal } from './refusal.js';

const json = 'application/json';
const read = (text: string) => readJsonBody(Buffer.from(text), json);
const refusal = (text: string) => {
  try {
    read(text);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    'application/json x',
  ])('%s is JSON', (type) => {
    expect(readJsonBody(Buffer.from('{"a":true}'), type)).toEqual({ a: true });
  });

  it.each([undefined, '', 'text/plain', 'Application/JSON', 'application/jsonx', 'application/x-www-form-urlencoded'])(
    '%s leaves the body unread',
    (type) => {
      expect(readJsonBody(Buffer.from('{"a":true}'), type)).toEqual({});
      expect(readJsonBody(undefined, type)).toEqual({});
    },
  );
});

describe('a JSON body', () => {
  it('without bytes answers EOF', () => {
    expect(() => readJsonBody(undefined, json)).toThrow(new Refusal(400, 'EOF'));
    expect(refusal('')).toEqual(new Refusal(400, 'EOF'));
  });

  it.each([
    ' ',
    '\r\n\t',
    'abc',
    'nope',
    '{',
    '[',
    '{"a":"x',
    '{"a":"}',
    "{'a':1}",
    '{a:1}',
    '{"a":1,}',
    '}',
    '// x\n{}',
    '"x" {}',
    '\\',
  ])('%j is refused in words that do not repeat it', (text) => {
    const error = refusal(text);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ code: 400, message: expect.stringMatching(/^the request body is [a-zA-Z0-9 :,]+$/) });
  });

  it('keeps numbers as they were written', () => {
    expect(read('[1, 1.0, -0, 1e3, 18446744073709551615]')).toEqual(
      ['1', '1.0', '-0', '1e3', '18446744073709551615'].map((source) => new JsonNumber(source)),
    );
  });

  it.each([
    ['{"a":"}"} trailing', { a: '}' }],
    ['{"a":"\\"}"}{"a":"b"}', { a: '"}' }],
    ['{"a":[{}]}]', { a: [{}] }],
    [' [[],{}] [', [[], {}]],
    ['nullx', null],
    [' null null', null],
  ])('%s ends with its first value', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it('may begin with a byte order mark and white space', () => {
    expect(read('\ufeff \r\n{"a":"b"}\n')).toEqual({ a: 'b' });
  });

  it('takes the last of two equal keys', () => {
    expect(read('{"a":"x","a":"y"}')).toEqual({ a: 'y' });
  });

  it('keeps each byte of broken UTF-8 so that it is answered as the escape of U+FFFD', () => {
    const body = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from('é🦊"}')]);
    const read = readJsonBody(body, json);
    expect(read).toEqual({ a: 'x\udcff\udce2\udc82é🦊' });
    expect(successEnvelope(read)).toContain(String.raw`{"a":"x\ufffd\ufffd\ufffdé🦊"}`);
  });

  it('turns half a surrogate pair into U+FFFD', () => {
    expect(read(String.raw`["\ud800", "\udc00x", "\ud83e\udd8a"]`)).toEqual(['\ufffd', '\ufffdx', '🦊']);
  });

  it('that is nested too deeply to read is refused', () => {
    expect(refusal('['.repeat(200_000) + ']'.repeat(200_000))).toBeInstanceOf(Refusal);
  });

  it('with megabytes of brackets and quotes is refused by looking at each letter once', () => {
    for (const text of ['"\\"'.repeat(1_000_000), `{"${'\\"{'.repeat(1_000_000)}`, '{"a":"'.repeat(300_000)]) {
      expect(refusal(text)).toBeInstanceOf(Refusal);
    }
  });

  it('gives any JSON value back, whatever follows it', () => {
    const value = fc.anything({ values: [fc.string(), fc.boolean(), fc.constant(null)], maxDepth: 3 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.string(), (data, tail) => {
        const text = JSON.stringify(data);
        expect(JSON.stringify(read(text + tail))).toBe(text);
      }),
    );
  });

  it('of any bytes is read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          readJsonBody(Buffer.from(bytes), json);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
    );
  });
});
