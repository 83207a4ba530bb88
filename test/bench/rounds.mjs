import { existsSync, readFileSync } from 'node:fs';

/** The share of CPU time that other machines may steal before a measurement is repeated. */
const MOST_STOLEN = 0.03;
const TRIES = 4;

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

/**
 * Repeats a measurement while other virtual machines on the same CPUs steal too much of their time. Returns the figures
 * of the quietest try, with `stolen`, the share stolen. `once`: the measurement cannot be repeated because it uses up its data.
 */
async function measuredQuietly({ measure, once = false }, seconds) {
  let quietest;
  for (let left = once ? 1 : TRIES; left > 0; left -= 1) {
    const before = processorTimes();
    const figures = await measure(seconds);
    const stolen = stolenShare(before, processorTimes());
    if (quietest === undefined || stolen < quietest.stolen) quietest = { ...figures, stolen };
    if (quietest.stolen <= MOST_STOLEN) break;
  }
  return quietest;
}

/**
 * Returns the times of all CPUs since boot; the eighth figure is the time stolen by other machines (proc_stat(5)).
 * Linux only.
 */
function processorTimes() {
  if (!existsSync('/proc/stat')) return undefined;
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line.split(/\s+/).slice(1).map(Number);
  return { all: times.slice(0, 8).reduce((sum, time) => sum + time), stolen: times[7] };
}

const stolenShare = (before, after) => (before ? (after.stolen - before.stolen) / (after.all - before.all || 1) : 0);
