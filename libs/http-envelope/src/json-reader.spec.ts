import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonReader } from './json-reader.js';
import { Refusal } from './refusal.js';

/** Returns the members of an object whose values are strings. */
function members(text: string): [string, string | undefined][] {
  const reader = new JsonReader(text);
  const read: [string, string | undefined][] = [];
  expect(reader.takeObject((name) => read.push([name, reader.takeText()]))).toBe(true);
  return read;
}

const textOf = (quoted: string) => new JsonReader(quoted).takeText();
const skip = (value: string) => new JsonReader(value).skipValue();
const skipMember = (value: string) => skip(`{"a":${value}}`);

const notJson = (problem: string) => new Refusal(400, `the request body is not valid JSON: ${problem}`);

describe('the members of an object', () => {
  it('are read in order, duplicates included', () => {
    expect(members(' {"b":"1", "a" : "2"\t,\r\n"b":"3"}')).toEqual([
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
    ]);
    expect(members('{ }')).toEqual([]);
  });

  it.each(['{"a":"}"} trailing', '{"a":"}"}{"a":"b"}', '{"a":"}"}]', '{"a":"}"}\x00'])(
    'end with the object in %j',
    (text) => {
      expect(members(text)).toEqual([['a', '}']]);
    },
  );

  it.each([
    ['{', 'unexpected end'],
    ['{"a', 'unexpected end'],
    ['{"a":"x', 'unexpected end'],
    ['{"a":"x"', 'unexpected end'],
    ['{"a":"x",}', 'unexpected character at position 9'],
    ['{,}', 'unexpected character at position 1'],
    ['{"a"}', 'unexpected character at position 4'],
    ['{"a":"x" "b":"y"}', 'unexpected character at position 9'],
    ["{'a':'x'}", 'unexpected character at position 1'],
    ['{"a":"x"\v}', 'unexpected character at position 8'],
  ])('are refused in %j with the position', (text, problem) => {
    expect(() => members(text)).toThrow(notJson(problem));
  });
});

describe('a text', () => {
  it.each([
    [String.raw`"\"\\\/\b\f\n\r\t"`, '"\\/\b\f\n\r\t'],
    [String.raw`"caf\u00e9 \uD83E\uDD8A"`, 'café 🦊'],
    ['"é🦊\x7f"', 'é🦊\x7f'],
  ])('%s is read', (quoted, text) => {
    expect(textOf(quoted)).toBe(text);
  });

  it.each([
    [String.raw`"\ud800"`, '\ufffd'],
    [String.raw`"\udc00x"`, '\ufffdx'],
    [String.raw`"\ud800\n"`, '\ufffd\n'],
    [String.raw`"\ud800\u0041"`, '\ufffdA'],
    [String.raw`"\ud800\ud83e\udd8a"`, '\ufffd\ufffd\ufffd'],
    [String.raw`"\udc00\ud83e\udd8a"`, '\ufffd\ufffd\ufffd'],
  ])('has U+FFFD in place of half a surrogate pair: %s', (quoted, text) => {
    expect(textOf(quoted)).toBe(text);
  });

  it.each([String.raw`"\x"`, String.raw`"\'"`, String.raw`"\N"`, String.raw`"\u12"`, String.raw`"\ud800\u00g0"`])(
    'with a broken escape is refused: %s',
    (quoted) => {
      expect(() => textOf(quoted)).toThrow(Refusal);
    },
  );

  it.each(['\x00', '\t', '\n', '\x1f'])('with the unescaped control character %j is refused', (control) => {
    expect(() => textOf(`"a${control}"`)).toThrow(notJson('unexpected character at position 2'));
  });

  it('may not contain a control character after an escape, after 512 characters or in a name either', () => {
    expect(() => textOf('"a\\/\n"')).toThrow(notJson('unexpected character at position 4'));
    expect(() => textOf(`"${'a'.repeat(600)}\n"`)).toThrow(notJson('unexpected character at position 601'));
    expect(() => members('{"a\tb":"x"}')).toThrow(notJson('unexpected character at position 3'));
    expect(() => skip('{"a\tb":"x"}')).toThrow(notJson('unexpected character at position 3'));
  });
});

describe('an integer', () => {
  it.each(['0', '-0', '7', '-12', '18446744073709551615', '1'.repeat(40)])(
    '%s is returned as it was written',
    (text) => {
      expect(new JsonReader(` ${text},`).takeWhole()).toBe(text);
    },
  );

  it.each(['1.0', '0.5', '1e3', '1E3', '01', '+1', '- 1', '"1"', 'null', ''])('is not read from %j', (text) => {
    expect(new JsonReader(text).takeWhole()).toBeUndefined();
  });
});

describe('an unwanted value', () => {
  it.each(['"x"', 'null', 'true', 'false', '[]', '{}', '[[],{"b":[{}]},1]', '{"b":{},"c":[]}'])('%s is skipped', skip);

  it.each(['0', '-0', '1.50', '1e5', '0e9', '1E-400', '-01', '-.5', '-.5e1', '-+5', '9'.repeat(400)])(
    '%s is skipped as a number',
    skipMember,
  );

  it.each(['01', '1.', '.5', '-', '-.', '+1', '1.2.3', '1e', '0x1', '1e999', '-1e999', 'NaN'])(
    '%s is not a number',
    (text) => {
      expect(() => skipMember(text)).toThrow(Refusal);
    },
  );

  it.each([
    '[1,]',
    '[,]',
    '[1 2]',
    '[1}',
    '{"b":1]',
    '{"b":1,}',
    '{b:1}',
    '{"b"}',
    '{"b":}',
    '[',
    '[{',
    'nul',
    'abc',
    '}',
    '',
  ])('%s is not a value', (text) => {
    expect(() => skip(text)).toThrow(Refusal);
  });

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('may have 9,999 nested %s, but no more', (_kind, opener, closer) => {
    const nested = (depth: number) => `${opener.repeat(depth)}${opener === '[' ? '' : 1}${closer.repeat(depth)}`;
    skip(nested(9_999));
    expect(() => skip(nested(10_000))).toThrow(Refusal);
  });

  it('of several megabytes is read in one pass', () => {
    skip(`[${'"\\"",'.repeat(300_000)}0]`);
    skip(`{${'"\\n":{},'.repeat(300_000)}"":0}`);
    expect(() => skip(`[${'{"a":['.repeat(300_000)}`)).toThrow(Refusal);
  });

  it('does not hide the members after it', () => {
    const value = fc.anything({ values: [fc.string(), fc.boolean(), fc.double(), fc.constant(null)], maxDepth: 3 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.string(), fc.string(), (skipped, text, tail) => {
        const reader = new JsonReader(`{"a":${JSON.stringify(skipped)},"b":${JSON.stringify(text)}}${tail}`);
        const read: (string | undefined)[] = [];
        reader.takeObject((name) => (name === 'b' ? read.push(reader.takeText()) : reader.skipValue()));
        expect(read).toEqual([text]);
      }),
    );
  });
});
