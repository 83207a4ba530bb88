import { bytesOf } from '@keyfold/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PreparedResponse, successEnvelope, oncePer } from './envelope.js';

describe('successEnvelope', () => {
  it('writes code, message and data in this order without white space', () => {
    expect(successEnvelope({ id: 1, name: 'bob' })).toBe(
      '{"code":200,"message":"success","data":{"id":1,"name":"bob"}}',
    );
  });

  it('writes missing data as null and an empty list as a list', () => {
    expect(successEnvelope(undefined)).toBe('{"code":200,"message":"success","data":null}');
    expect(successEnvelope([])).toBe('{"code":200,"message":"success","data":[]}');
  });

  it.each([
    ['markup and line separators', '<b>&\u2028\u2029', String.raw`\u003cb\u003e\u0026\u2028\u2029`],
    ['control characters', '\t\n\r\b\f\0\x1f', String.raw`\t\n\r\u0008\u000c\u0000\u001f`],
    ['quotes and backslashes', '"\\', String.raw`\"\\`],
    ['a backslash before a letter', '\\b\\f\\ud800\\', String.raw`\\b\\f\\ud800\\`],
    ['a backslash before markup', '\\<', String.raw`\\\u003c`],
    ['slash, DEL and non-ASCII characters', '/\x7fé名🦊', '/\x7fé名🦊'],
    ['half a surrogate pair', 'a\ud800b\udc00', String.raw`a\ufffdb\ufffd`],
    ['text that looks like an escape', 'ud800 u003c', 'ud800 u003c'],
  ])('writes %s as Go does', (_, text, json) => {
    expect(successEnvelope(text)).toBe(`{"code":200,"message":"success","data":"${json}"}`);
  });

  it('round-trips any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (data) => {
        const normal: unknown = JSON.parse(JSON.stringify(data));
        expect(JSON.parse(successEnvelope(data))).toEqual({ code: 200, message: 'success', data: normal });
      }),
    );
  });

  it('writes a text in as many bytes as the length limits count', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'<>&"\\\n\r\t\b\f\0\u2028\u2029', '\ud800', '\udc00'),
      fc.string({ unit: 'binary' }),
    );
    const frame = Buffer.byteLength(successEnvelope(''));
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(Buffer.byteLength(successEnvelope(text))).toBe(frame + bytesOf(text));
      }),
    );
  });

  it('never contains markup, a line separator, a control character or half a surrogate pair', () => {
    const characters = fc.string({
      unit: fc.constantFrom('<', '>', '&', '\u2028', '\u2029', '\\', 'b', '\b', '\f', '\ud800', '"', 'u'),
    });
    fc.assert(
      fc.property(characters, (text) => {
        const envelope = successEnvelope(text);
        expect(envelope).not.toMatch(/[<>&\u2028\u2029]|\p{Cc}/u);
        expect(envelope.isWellFormed()).toBe(true);
        expect(JSON.parse(envelope)).toHaveProperty('data', text.toWellFormed());
      }),
    );
  });
});

describe('a prepared response', () => {
  it('equals the response for its data', () => {
    for (const data of [{ title: '<b>' }, undefined, []]) {
      expect(successEnvelope(PreparedResponse.of(data))).toBe(successEnvelope(data));
    }
  });

  it('is prepared once for each value', () => {
    let calls = 0;
    const responseOf = oncePer(({ id }: { id: number }) => PreparedResponse.of({ id, calls: ++calls }));
    const [one, two] = [{ id: 1 }, { id: 2 }];
    expect(responseOf(one)).toBe(responseOf(one));
    expect(successEnvelope(responseOf(one))).toContain('"data":{"id":1,"calls":1}');
    expect(successEnvelope(responseOf(two))).toContain('"data":{"id":2,"calls":2}');
  });
});
