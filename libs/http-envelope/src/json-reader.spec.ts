import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonReader } from './json-reader.js';
import { Refusal } from './refusal.js';

/** The members of an object of texts. */
function members(text: string): [string, string | undefined][] {
  const reader = new JsonReader(text);
  const read: [string, string | undefined][] = [];
  expect(reader.takeObject((name) => read.push([name, reader.takeText()]))).toBe(true);
  return read;
}

const textOf = (quoted: string) => new JsonReader(quoted).takeText();
const skip = (value: string) => new JsonReader(value).skipValue();
const skipMember = (value: string) => skip(`{"a":${value}}`);

const notJson = (place: string) => new Refusal(400, `the request body is not valid JSON: ${place}`);

describe('the members of an object', () => {
  it('come in their order, equal names too', () => {
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
    ['{', 'it ends too early'],
    ['{"a', 'it ends too early'],
    ['{"a":"x', 'it ends too early'],
    ['{"a":"x"', 'it ends too early'],
    ['{"a":"x",}', 'see character 9'],
    ['{,}', 'see character 1'],
    ['{"a"}', 'see character 4'],
    ['{"a":"x" "b":"y"}', 'see character 9'],
    ["{'a':'x'}", 'see character 1'],
    ['{"a":"x"\v}', 'see character 8'],
  ])('are refused in %j, which says where', (text, place) => {
    expect(() => members(text)).toThrow(notJson(place));
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
  ])('with half a surrogate pair has U+FFFD in its place: %s', (quoted, text) => {
    expect(textOf(quoted)).toBe(text);
  });

  it.each([String.raw`"\x"`, String.raw`"\'"`, String.raw`"\N"`, String.raw`"\u12"`, String.raw`"\ud800\u00g0"`])(
    'with a broken escape is refused: %s',
    (quoted) => {
      expect(() => textOf(quoted)).toThrow(Refusal);
    },
  );

  it('holds no raw control letter', () => {
    for (const letter of ['\x00', '\t', '\n', '\x1f']) expect(() => textOf(`"a${letter}"`)).toThrow('see character 2');
  });

  it('holds raw control letters behind its first escape and behind the first 512 letters', () => {
    expect(textOf('"a\\/\n\x00"')).toBe('a/\n\x00');
    expect(textOf(`"${'a'.repeat(511)}\n"`)).toBe(`${'a'.repeat(511)}\n`);
    expect(() => textOf(`"${'a'.repeat(510)}\n"`)).toThrow('see character 511');
    expect(() => textOf(`${' '.repeat(512)}"\n"`)).toThrow('see character 513');
  });

  it('that is a name holds them everywhere in the outer object, but not in what is skipped', () => {
    expect(members('{"a\tb":"x"}')).toEqual([['a\tb', 'x']]);
    expect(() => skip('{"a\tb":"x"}')).toThrow(Refusal);
  });
});

describe('a whole number', () => {
  it.each(['0', '-0', '7', '-12', '18446744073709551615', '1'.repeat(40)])('%s is taken as it was written', (text) => {
    expect(new JsonReader(` ${text},`).takeWhole()).toBe(text);
  });

  it.each(['1.0', '0.5', '1e3', '1E3', '01', '+1', '- 1', '"1"', 'null', ''])('is not taken from %j', (text) => {
    expect(new JsonReader(text).takeWhole()).toBeUndefined();
  });
});

describe('a value that nobody asked for', () => {
  it.each(['"x"', 'null', 'true', 'false', '[]', '{}', '[[],{"b":[{}]},1]', '{"b":{},"c":[]}'])('%s is skipped', skip);

  it.each(['0', '-0', '1.50', '1e5', '0e9', '1E-400', '-01', '-.5', '-.5e1', '-+5', '9'.repeat(400)])(
    '%s is a number that is skipped',
    skipMember,
  );

  it.each(['01', '1.', '.5', '-', '-.', '+1', '1.2.3', '1e', '0x1', '1e999', '-1e999', 'NaN'])(
    '%s is no number',
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
  ])('%s is no value', (text) => {
    expect(() => skip(text)).toThrow(Refusal);
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('may have 9,999 open %s, and no more', (_kind, opener, closer) => {
    const nested = (depth: number) => `${opener.repeat(depth)}${opener === '[' ? '' : 1}${closer.repeat(depth)}`;
    skip(nested(9_999));
    expect(() => skip(nested(10_000))).toThrow(Refusal);
  });

  it('of megabytes is read by looking at each letter once', () => {
    skip(`[${'"\\"",'.repeat(300_000)}0]`);
    skip(`{${'"\\n":{},'.repeat(300_000)}"":0}`);
    expect(() => skip(`[${'{"a":['.repeat(300_000)}`)).toThrow(Refusal);
  });

  it('does not hide what follows it', () => {
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
