import { expect, it } from 'vitest';
import { counted } from './counted.js';

it.each([
  [0, '0 problems', '0 processes'],
  [1, '1 problem', '1 process'],
  [2, '2 problems', '2 processes'],
  [11, '11 problems', '11 processes'],
])('%i has the noun that goes with it', (count, regular, irregular) => {
  expect(counted(count, 'problem')).toBe(regular);
  expect(counted(count, 'process', 'processes')).toBe(irregular);
});
