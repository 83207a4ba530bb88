import { expect, it } from 'vitest';
import { SeenKeys } from './seen-keys.js';

it('keys are new the first time and known from then on, however many there are', () => {
  const seen = new SeenKeys();
  const keys = Array.from({ length: 50_000 }, (_, index) => `key ${index}`);
  expect(keys.filter((key) => seen.add(key))).toEqual([]);
  expect(keys.filter((key) => !seen.add(key))).toEqual([]);
});

it('keys are forgotten when there are too many, so that memory is bounded', () => {
  const seen = new SeenKeys(100);
  for (let index = 0; index < 101; index++) seen.add(`key ${index}`);
  expect(seen.add('key 0')).toBe(false);
  expect(seen.add('key 100')).toBe(true);
});
