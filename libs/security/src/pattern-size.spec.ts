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
    ['(ab){10}', 20],
    ['(?:a[bc]{3}){10}', 40],
    ['(?P<name>a(?i:b)){10}', 20],
    [String.raw`\p{Greek}\x{41}\{2\}`, 5],
    ['[{2}]]', 2],
    ['[]{9}]{2}', 2],
    ['((a{10}){10}){10}', 1_000],
    ['(((', 0],
    [')))', 3],
  ])('of %j is %i', (expression, size) => {
    expect(estimatedSizeOf(expression)).toBe(size);
  });

  it('is at least a quarter of the size of the compiled expression', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[a-z]',
      String.raw`\pL`,
      String.raw`\d`,
      String.raw`\x{41}`,
      '^',
      '[^]]',
    );
    const suffix = fc.constantFrom('', '?', '*', '+?', '{3}', '{0,4}', '{2,}', '{1,7}');
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(atom, suffix).map((parts) => parts.join('')),
        fc.tuple(tie('expression'), tie('expression')).map((parts) => parts.join('')),
        fc.tuple(tie('expression'), tie('expression')).map((parts) => parts.join('|')),
        fc.tuple(tie('expression'), suffix).map(([inner, end]) => `(?:${inner})${end}`),
        fc.tuple(tie('expression'), suffix).map(([inner, end]) => `(${inner})${end}`),
      ),
    }));
    fc.assert(
      fc.property(expression, (text) => {
        expect(RE2JS.compile(text).programSize(), text).toBeLessThanOrEqual(4 * estimatedSizeOf(text) + 10);
      }),
    );
  });
});
