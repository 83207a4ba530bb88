import type { Distribution, Value } from './exposition.js';

/** Adds up the values with the same labels, because every thread of a process counts for itself. */
export function summed(values: readonly Value[]): Value[] {
  const sums = new Map<string, Value>();
  for (const each of values) {
    const key = JSON.stringify(each.labels ?? {});
    const known = sums.get(key);
    sums.set(key, known ? { ...known, value: sumOf(known.value, each.value) } : each);
  }
  return [...sums.values()];
}

function sumOf(a: number | Distribution, b: number | Distribution): number | Distribution {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'number' || typeof b === 'number') throw new TypeError('a number and a distribution have no sum');
  return {
    bounds: a.bounds,
    counts: a.counts.map((count, index) => count + b.counts[index]!),
    sum: a.sum + b.sum,
  };
}
