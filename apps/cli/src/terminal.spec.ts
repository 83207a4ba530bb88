import { expect, it } from 'vitest';
import { harmless } from './terminal.js';

it('a line holds nothing that a terminal would obey', () => {
  expect(harmless('red \u001b[31m, clear \u009b2J, bell \u0007, turned \u202egnp')).toBe(
    'red \\u001b[31m, clear \\u009b2J, bell \\u0007, turned \\u202egnp',
  );
});

it('a line stays what it is otherwise, and JSON stays JSON', () => {
  expect(harmless('я 🗝\ta\nb')).toBe('я 🗝\ta\nb');
  expect(JSON.parse(harmless('{"a":"\u009b"}'))).toEqual({ a: '\u009b' });
});
