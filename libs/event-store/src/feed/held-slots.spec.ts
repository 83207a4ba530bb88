import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slotShares } from './held-slots.js';

const members = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 });
const ownersOf = (names: readonly string[]) =>
  new Map([...slotShares(names, 64)].flatMap(([member, slots]) => slots.map((slot) => [slot, member] as const)));

describe('the shares of the slots', () => {
  it('contain every slot once and differ in size by at most one', () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 64 }), (names, slots) => {
        const shares = [...slotShares(names, slots).values()];
        expect(shares.flat().toSorted((left, right) => left - right)).toEqual([...Array(slots).keys()]);
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('do not depend on the order of the members', () => {
    fc.assert(
      fc.property(members, (names) => {
        expect(ownersOf(names.toReversed())).toEqual(ownersOf(names));
      }),
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('mostly stay the same when a member joins or leaves %i others', (count) => {
    const moves: number[] = [];
    for (let round = 0; round < 30; round++) {
      const names = Array.from({ length: count + 1 }, (_, index) => `worker-${round}-${index}`);
      const [before, after] = [ownersOf(names.slice(1)), ownersOf(names)];
      moves.push([...before].filter(([slot, owner]) => after.get(slot) !== owner).length);
    }
    const needed = 64 / (count + 1);
    const average = moves.reduce((sum, each) => sum + each, 0) / moves.length;
    expect(average).toBeGreaterThanOrEqual(Math.floor(needed));
    expect(average).toBeLessThan(needed * 2);
  });

  it('are empty for members beyond the number of slots', () => {
    expect([...slotShares(['a', 'b', 'c'], 1).values()].flat()).toEqual([0]);
  });
});
