import { measuredQuietly } from './quiet-moments.mjs';

/**
 * Measures every subject once per round. The order rotates, so that no subject always runs after the same one and a
 * slow moment of the machine affects all. Returns the figures of each subject by name, one per round.
 */
export async function alternate(subjects, rounds, seconds) {
  const figures = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = subjects.map((_, at) => subjects[(at + round) % subjects.length]);
    for (const subject of order) figures.get(subject.name).push(await measuredQuietly(subject, seconds));
  }
  return figures;
}

/** Returns the median; the mean of the two middle numbers for an even count; undefined if one is undefined. */
export function median(numbers) {
  if (numbers.includes(undefined)) return undefined;
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}
