import { describe, expect, it } from 'vitest';
import { counted, columnsOf, fitted, printable, printableOutput, quoted } from './printable.js';

describe('printable', () => {
  it.each([
    ['a line break', 'a\r\nb', String.raw`a\r\nb`],
    ['an escape sequence', '\u001b[2J', String.raw`\u001b[2J`],
    ['a control character of Latin-1', '\u009b2J', String.raw`\u009b2J`],
    ['an override of the direction', 'nna\u202e', String.raw`nna\u202e`],
    ['a right-to-left mark', 'a\u200f', String.raw`a\u200f`],
    ['a character of no width', 'a\u200bb\ufeff', String.raw`a\u200bb\ufeff`],
    ['a line separator', 'a\u2028b', String.raw`a\u2028b`],
    ['a space that looks like another', 'a\u00a0b', String.raw`a\u00a0b`],
    ['an invisible letter', 'a\u3164', String.raw`a\u3164`],
    ['a tag beyond the first plane', 'a\u{e0041}', String.raw`a\udb40\udc41`],
    ['half a character', 'a\ud800', String.raw`a\ud800`],
    ['the start of an escape', String.raw`a\n`, String.raw`a\\n`],
  ])('escapes %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps letters of every script, spaces, quotes and emoji', () => {
    for (const text of ['Zoë Ångström', 'Мария', 'שרה', 'علي', '张伟', '김철수', 'a "b" c', '🦊'])
      expect(printable(text)).toBe(text);
  });
});

describe('a line of output', () => {
  it.each([
    ['a control character', 'red \u001b[31m, clear \u009b2J', String.raw`red \u001b[31m, clear \u009b2J`],
    ['an override of the direction', 'nna\u202e', String.raw`nna\u202e`],
    ['a character of no width', 'admin\u200b', String.raw`admin\u200b`],
    ['a Hangul filler', '\u115f\u1160\u3164\uffa0', String.raw`\u115f\u1160\u3164\uffa0`],
    ['a tag', 'admin\u{e0061}', String.raw`admin\udb40\udc61`],
    ['a variation selector', 'a\ufe0f', String.raw`a\ufe0f`],
  ])('escapes %s, also in JSON, which stays the same value', (_, text, shown) => {
    expect(printableOutput(text)).toBe(shown);
    const json = JSON.stringify({ text });
    expect(printableOutput(json)).not.toMatch(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
    expect(JSON.parse(printableOutput(json))).toEqual({ text });
  });

  it('keeps tabs, line breaks, backslashes and every visible character', () => {
    const text = 'я 🗝\ta\nb "c" \\u0041';
    expect(printableOutput(text)).toBe(text);
  });
});

describe('fitted', () => {
  it('keeps a text that fits, and marks one that does not', () => {
    expect(fitted('anna', 4)).toBe('anna');
    expect(fitted('annabel', 4)).toBe('ann…');
    expect(fitted('a\nbc', 4)).toBe(String.raw`a\n` + '…');
  });

  it('counts wide characters twice', () => {
    expect(columnsOf('张伟🦊a')).toBe(7);
    expect(fitted('张伟张伟', 6)).toBe('张伟…');
    expect(fitted('张伟张', 6)).toBe('张伟张');
  });

  it.each(['x', '\n', '\u202e', '张', '🦊', 'e\u0301', '\u0300', '\ud800'])(
    'of 4,096 times %j never takes more',
    (letter) => {
      for (const columns of [1, 2, 7, 40]) {
        const shown = fitted(letter.repeat(4_096), columns);
        expect(columnsOf(shown)).toBeLessThanOrEqual(columns);
        expect(shown).toMatch(/…$/);
        expect(shown.length).toBeLessThanOrEqual(2 * columns);
      }
    },
  );
});

it('a name in a sentence is quoted and short', () => {
  expect(quoted('an "n"')).toBe(String.raw`"an \"n\""`);
  expect(quoted('x'.repeat(4_096))).toBe(`"${'x'.repeat(39)}…"`);
});

it.each([
  [0, '0 problems', '0 processes'],
  [1, '1 problem', '1 process'],
  [2, '2 problems', '2 processes'],
  [11, '11 problems', '11 processes'],
])('%i has the right form of the noun', (count, regular, irregular) => {
  expect(counted(count, 'problem')).toBe(regular);
  expect(counted(count, 'process', 'processes')).toBe(irregular);
});
