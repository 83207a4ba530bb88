import { factorySetting } from '@keyfold/domain';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { estimatedSizeOf, InvalidPatterns, PrivacyMask } from './privacy-mask.js';

const factory = new PrivacyMask(factorySetting('privacy_regs')!.value);

describe('the factory patterns', () => {
  it.each([
    ['"1.2.3.4"', '"*******"'],
    ['x-192.168.100.200-y', 'x-***************-y'],
    ['"2001:db8::1"', '"***********"'],
    ['at ::', 'at **'],
    ['[::1]:22', '[***]:22'],
    ['fe80::', '******'],
    ['2001:db8:1:2:3:4:5:6', '********************'],
    ['access_token=abc&x', '*****************x'],
  ])('hide the private part of %s', (text, masked) => {
    expect(factory.apply(text)).toBe(masked);
  });

  it.each(['1.2.3', '12:30:45', 'a:b', 'access_token=abc', 'Invalid username or password', ''])(
    'leave %j unchanged',
    (text) => {
      expect(factory.apply(text)).toBe(text);
    },
  );
});

describe('a privacy mask', () => {
  it('replaces the matches of every pattern with one star for each UTF-8 byte', () => {
    expect(new PrivacyMask('secret[0-9]+\nfoo\n名|🦊').apply('secret12-foo-名-🦊')).toBe('********-***-***-****');
  });

  it('takes the leftmost alternative, as Go does', () => {
    expect(new PrivacyMask('1?1|11').apply('111')).toBe('***');
    expect(new PrivacyMask('1|11').apply('11')).toBe('**');
  });

  it('ignores blank lines, and masks nothing without a pattern', () => {
    for (const patterns of ['', '\n\n']) expect(new PrivacyMask(patterns).apply('1.2.3.4')).toBe('1.2.3.4');
  });

  it('truncates a very long message', () => {
    expect(factory.apply('access_token='.repeat(10_000))).toHaveLength(2_048);
  });

  it('masks a private text that reaches beyond the end of the message', () => {
    expect(factory.apply(`${'x'.repeat(2_040)} 192.168.100.200 y`)).toBe(`${'x'.repeat(2_040)} *******`);
  });

  it('masks every match in a message of usual length', () => {
    expect(factory.apply('1.2.3.4 '.repeat(25))).toBe('******* '.repeat(25));
    expect(new PrivacyMask('[0-9]').apply('1x'.repeat(1_000))).toBe('*x'.repeat(1_000));
  });

  it('cuts a long message after the match from which on further searches would take too long', () => {
    expect(new PrivacyMask('a(?:[ab]{300}c)?').apply('ab'.repeat(1_000))).toMatch(/^(\*b){2,10}\*$/);
  });

  it.each([
    ['a(b', 'line 1: error parsing regexp: missing closing ): `a(b`'],
    ['a\n(?=b)', 'line 2: error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'line 1: error parsing regexp: invalid escape sequence: `\\1`'],
    ['a'.repeat(4_097), 'more than 4096 characters'],
    ['a{1000}b{1000}', 'the expressions are too large, shorten one'],
    ['a{1000}'.repeat(500), 'the expressions are too large, shorten one'],
    ['(){1000}'.repeat(20), 'the expressions are too large, shorten one'],
    [String.raw`\Q[\E${'a{1000}'.repeat(20)}]`, 'the expressions are too large, shorten one'],
    [String.raw`(?i)[${String.raw`\pL`.repeat(33)}]`, 'the expressions are too large, shorten one'],
    ['a{999}\n'.repeat(500), 'the expressions are too large, shorten one'],
    [`(?:${'a'.repeat(1_000)}){1000}`, 'the expressions are too large, shorten one'],
  ])('refuses %j', (patterns, reason) => {
    expect(() => new PrivacyMask(patterns)).toThrow(new InvalidPatterns(reason));
  });

  // A backtracking engine takes longer than the age of the universe, so a test of this kind would never end.
  it.each(['(a+)+$', '(a|aa)+$', '(a*)*b', '(?:a?){500}b', '(?:[ab]*a[ab]{900}c|a)'])('%s ends', (pattern) => {
    expect(new PrivacyMask(pattern).apply(`${'ab'.repeat(50_000)}!`)).toMatch(/^[ab*]+$/);
    expect(new PrivacyMask(pattern).apply(`${'a'.repeat(100_000)}!`)).toMatch(/^[a*]+$/);
  });
});

describe('the estimated size of an expression', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['a{2,5}b', 6],
    ['a{4,}', 4],
    ['(ab){10}', 40],
    ['(?:a[bc]{3}){10}', 60],
    ['(?P<name>a(?i:b)){10}', 60],
    [String.raw`\p{Greek}\x{41}\{2\}`, 5],
    ['[{2}]]', 2],
    ['[]{9}]{2}', 2],
    ['((a{10}){10}){10}', 1_220],
    ['(((', 6],
    [')))', 3],
    ['(){1000}', 2_000],
    ['(?:a{10})(?i){10}', 120],
    ['a*(?i){10}', 20],
    ['a{0}', 1],
    [String.raw`a\Q\E{10}`, 10],
    [String.raw`\Q[\Ea{10}]`, 12],
    [String.raw`\Qa{10}`, 5],
    ['[[:^alpha:])]{2}', 2],
    ['[a-[:alpha:])', 2],
    [String.raw`[\d-[:alpha:])]`, 1],
    [String.raw`[]-[\pL-[:alpha:])]`, 1],
    ['[[(((', 1],
    ['[[[\\', 1],
  ])('of %j is %i', (expression, size) => {
    expect(estimatedSizeOf(expression)).toBe(size);
  });

  it('is at least a quarter of the size of the compiled expression', () => {
    const counts = ['{3}', '{10}', '{0}', '{0,4}', '{2,}', '{1,7}', '{5'];
    const groups = ['(', '(?:', '(?i)', '(?)', '(?-s)', '(?P<n>', ')', ')', '()'];
    const classes = [
      '[',
      '[^',
      '[]',
      ']',
      '[:alpha:]',
      '[:^alpha:]',
      '[[:',
      '-[',
      '-',
      ':',
      String.raw`\d`,
      String.raw`\pL`,
    ];
    const quotes = ['\\', String.raw`\Q`, String.raw`\E`, String.raw`\Q[\E`, String.raw`\]`, String.raw`\(`];
    const others = ['a', 'b', '.', '^', '|', '}', '*', '?', '+', String.raw`\x{41}`, String.raw`\p{Greek}`];
    const part = fc.constantFrom(...counts, ...groups, ...classes, ...quotes, ...others);
    const expression = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    const compiled = expression.map((text) => ({ text, size: sizeOf(text) })).filter(({ size }) => size !== undefined);
    fc.assert(
      fc.property(compiled, ({ text, size }) => {
        expect(size, text).toBeLessThanOrEqual(4 * estimatedSizeOf(text) + 10);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is known after one pass, however many parts are not closed', () => {
    for (const part of ['[', '[[:a', '(?', '(?P<a', String.raw`\p{`, String.raw`\x{`, String.raw`\Q`, '{1']) {
      const expression = part.repeat(50_000);
      expect(estimatedSizeOf(expression)).toBeLessThanOrEqual(2 * expression.length);
    }
  });
});

/** Returns the size of the compiled expression, or undefined if it is not one of RE2. */
function sizeOf(expression: string): number | undefined {
  try {
    return RE2JS.compile(expression).programSize();
  } catch {
    return undefined;
  }
}
