import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { estimatedSizeOf } from './pattern-size.js';

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
