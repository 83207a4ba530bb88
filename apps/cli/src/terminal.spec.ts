import { expect, it } from 'vitest';
import { escapeControls } from './terminal.js';

it('control characters are escaped', () => {
  expect(escapeControls('red \u001b[31m, clear \u009b2J, bell \u0007, turned \u202egnp')).toBe(
    'red \\u001b[31m, clear \\u009b2J, bell \\u0007, turned \\u202egnp',
  );
});

it('other characters are not changed, and JSON stays valid', () => {
  expect(escapeControls('я 🗝\ta\nb')).toBe('я 🗝\ta\nb');
  expect(JSON.parse(escapeControls('{"a":"\u009b"}'))).toEqual({ a: '\u009b' });
});
