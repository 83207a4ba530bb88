import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const contract = readFileSync(new URL('../../docs/reference/wire-contract.md', import.meta.url), 'utf8');

it('the sections of the wire contract are numbered in order', () => {
  const numbers = [...contract.matchAll(/^###? (\d+)\.(\d*)/gm)].map(([, chapter, section]) => [
    Number(chapter),
    Number(section),
  ]);
  const expected: number[][] = [];
  for (const [, section] of numbers) {
    const [chapter, last] = expected.at(-1) ?? [0, 0];
    expected.push(section === 0 ? [chapter! + 1, 0] : [chapter!, last! + 1]);
  }
  expect(numbers).toEqual(expected);
});
