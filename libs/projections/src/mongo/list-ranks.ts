/** Sort keys that are counted together. To reach an offset, at most this many entries are skipped. */
export const SORT_KEYS_PER_RANGE = 1024;

/** The number of entries in each range of sort keys, in order; empty ranges are left out. */
export type Ranks = readonly (readonly [range: number, count: number])[];

export const noRanks: Ranks = [];

export function addRanks(ranks: Ranks, changes: Ranks): Ranks {
  if (changes.length === 0) return ranks;
  const counts = new Map(ranks);
  for (const [range, change] of changes) counts.set(range, (counts.get(range) ?? 0) + change);
  return [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);
}

export const totalOf = (ranks: Ranks) => ranks.reduce((total, [, count]) => total + count, 0);

/** Returns the sort key to start from and the number of entries to skip, to reach an offset; undefined past the end. */
export function positionOf(ranks: Ranks, offset: number): { from: number; skip: number } | undefined {
  let skip = offset;
  for (const [range, count] of ranks) {
    if (skip < count) return { from: range * SORT_KEYS_PER_RANGE, skip };
    skip -= count;
  }
  return undefined;
}
