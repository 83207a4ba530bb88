import { expect, it } from 'vitest';
import { BackOff } from './back-off.js';

const pauses = (backOff: BackOff, count: number) => Array.from({ length: count }, () => backOff.next());

it('doubles the pause after each failure, up to the longest', () => {
  expect(pauses(new BackOff(100, 1_000), 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

it('stays at the longest pause however often it fails', () => {
  expect(pauses(new BackOff(100, 1_000), 2_000).at(-1)).toBe(1_000);
});

it('starts over after a success', () => {
  const backOff = new BackOff(100, 1_000);
  pauses(backOff, 3);
  backOff.reset();
  expect(pauses(backOff, 2)).toEqual([100, 200]);
});
