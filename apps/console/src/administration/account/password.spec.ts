import { expect, it } from 'vitest';
import { newPassword, passwordOf } from './password.js';

it('a password has groups of four letters and digits', () => {
  expect(passwordOf(Uint8Array.from({ length: 20 }, (_, index) => index * 13))).toBe('0dt7-m1ev-8n2f-w9p3-gxaq');
  expect(newPassword()).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}$/);
});

it('each letter is as likely as any other', () => {
  const letters = passwordOf(Uint8Array.from({ length: 256 }, (_, byte) => byte)).replaceAll('-', '');
  const counts = Map.groupBy(letters, (letter) => letter);
  expect(counts.size).toBe(32);
  expect([...counts].filter(([, { length }]) => length !== 8)).toEqual([]);
});
