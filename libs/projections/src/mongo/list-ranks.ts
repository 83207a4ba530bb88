/** Places that are counted together; so many entries are walked over at most to reach an offset. */
export const PLACES_PER_RANGE = 1024;

/** How many entries have their places in each range, in the order of the ranges; ranges without entries are left out. */
export type Ranks = readonly (readonly [range: number, count: number])[];

export const noRanks: Ranks = [];

export function addRanks(ranks: Ranks, changes: Ranks): Ranks {
  if (changes.length === 0) return ranks;
  const counts = new Map(ranks);
  for (const [range, change] of changes) counts.set(range, (counts.get(range) ?? 0) + change);
  return [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);
}

export const totalOf = (ranks: Ranks) => ranks.reduce((total, [, count]) => total + count, 0);

/** From which place to walk and how far, to reach an offset; undefined behind the end. */
export function positionOf(ranks: Ranks, offset: number): { from: number; skip: number } | undefined {
  let skip = offset;
  for (const [range, count] of ranks) {
    if (skip < count) return { from: range * PLACES_PER_RANGE, skip };
    skip -= count;
  }
  return undefined;
}
