import { expect } from 'vitest';
import { unused } from '../new-commit.js';
import type { ContractCase } from './contract-case.js';

/** Numbers: never twice, gaps are normal. */
export const counterCases: readonly ContractCase[] = [
  {
    title: 'the first number is the start, and the numbers ascend',
    async run({ counter }) {
      const name = unused('counter');
      expect(await counter.take(name, 1, 3)).toBe(3);
      expect(await counter.take(name, 1, 3)).toBeGreaterThanOrEqual(4);
      const last = await counter.take(name, 1, 100);
      expect(last).toBeGreaterThanOrEqual(5);
      expect(await counter.take(name, 1, 1)).toBeGreaterThan(last);
    },
  },
  {
    title: 'a block of numbers belongs to one caller only',
    async run({ counter }) {
      const name = unused('counter');
      const first = await counter.take(name, 50, 1);
      const second = await counter.take(name, 1, 1);
      const third = await counter.take(name, 50, 1);
      expect(first).toBe(1);
      expect(second).toBeGreaterThanOrEqual(51);
      expect(third).toBeGreaterThan(second);
      expect(await counter.take(name, 1, 1)).toBeGreaterThanOrEqual(third + 50);
    },
  },
  {
    title: 'a counter is moved forward, never back',
    async run({ counter }) {
      const [begun, other] = [unused('counter'), unused('counter')];
      await counter.take(begun, 10, 1);
      for (const name of [begun, other]) for (const next of [20, 5]) await counter.skipTo(name, next);
      expect([await counter.take(begun, 1, 1), await counter.take(other, 1, 1)]).toEqual([20, 20]);
    },
  },
  {
    title: 'counters of different names are independent',
    async run({ counter }) {
      const name = unused('counter');
      expect(await counter.take(name, 10, 1)).toBe(1);
      expect(await counter.take(`${name}2`, 1, 1)).toBe(1);
      expect(await counter.take(`${name}Ä`, 1, 0)).toBe(0);
      expect(await counter.take(name, 1, 1)).toBeGreaterThanOrEqual(11);
    },
  },
  {
    title: 'the next number of each counter can be read',
    async run({ counter }) {
      const name = unused('counter');
      expect((await counter.read()).has(name)).toBe(false);
      await counter.take(name, 5, 3);
      expect((await counter.read()).get(name)).toBe(8);
    },
  },
  {
    title: 'concurrent callers never get the same number',
    async run({ counter }) {
      const name = unused('counter');
      const sizes = Array.from({ length: 60 }, (_, index) => 1 + (index % 4));
      const firsts = await Promise.all(sizes.map((size) => counter.take(name, size, 1)));
      const numbers = firsts.flatMap((first, index) =>
        Array.from({ length: sizes[index]! }, (_, step) => first + step),
      );
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(Math.min(...numbers)).toBe(1);
    },
  },
];
