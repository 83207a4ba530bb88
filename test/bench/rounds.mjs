import { measuredQuietly } from './quiet-moments.mjs';

/**
 * Measures every subject once a round, in an order that is rotated each round, so that no subject always runs behind the same other
 * one and a slow moment of the machine meets all. Answers the figures of each subject by name, one for each round.
 */
export async function alternate(subjects, rounds, seconds) {
  const figures = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = subjects.map((_, at) => subjects[(at + round) % subjects.length]);
    for (const subject of order) figures.get(subject.name).push(await measuredQuietly(subject, seconds));
  }
  return figures;
}

/** The middle of some numbers, the mean of the two middle ones of an even count; undefined when one is. */
export function median(numbers) {
  if (numbers.includes(undefined)) return undefined;
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}
