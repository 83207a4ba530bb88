import { expect, it } from 'vitest';
import { columnsOf } from './printable.js';
import { fieldsOf, headOf, lineOf, tableOf } from './table.js';

const hostile = ['x'.repeat(4_096), 'a\nb\u001b[2J', '\u202e'.repeat(100), '张'.repeat(100), '\u0300'.repeat(100)];

it('columns are as wide as their longest cell, and numbers are aligned to the right', () => {
  expect([
    ...tableOf(
      ['name', 'count'],
      [
        ['ann', 5],
        ['an\n', 12],
      ],
      ['all', 17],
    ),
  ]).toEqual(['name  count', 'ann       5', String.raw`an\n     12`, 'all      17']);
});

it('the last column is narrowed first, and then the widest', () => {
  const [, row] = tableOf(['a', 'b'], [['x'.repeat(50), 'y'.repeat(50)]]);
  expect(row).toBe(`${'x'.repeat(50)}  ${'y'.repeat(27)}…`);
  const [, narrow] = tableOf(['a', 'b'], [['x'.repeat(500), 'y'.repeat(50)]]);
  expect(narrow).toBe(`${'x'.repeat(61)}…  ${'y'.repeat(15)}…`);
});

it.each(hostile)('no line has a line break or more than 80 columns: %#', (text) => {
  const columns = [
    { head: 'id', width: 8, isNumeric: true },
    { head: 'name', width: 30 },
  ];
  for (const line of [
    ...tableOf(['a', 'b', 'c', 'n'], [[text, text, text, Number.MAX_SAFE_INTEGER]]),
    ...fieldsOf(text, { field: text, 'another one': 5 }),
    headOf(columns),
    lineOf([5, text], columns),
  ]) {
    expect(columnsOf(line)).toBeLessThanOrEqual(80);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});
