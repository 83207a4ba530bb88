// A virtual machine shares its CPUs with other machines, which distort measurements.
import { existsSync, readFileSync } from 'node:fs';

/** The share of CPU time that other machines may steal before a measurement is repeated. */
const MOST_STOLEN = 0.03;
const TRIES = 4;

/**
 * Repeats a measurement while other machines steal too much CPU time. Returns the figures of the quietest try, with
 * `stolen`, the share stolen. `once`: the measurement cannot be repeated because it uses up its data.
 */
export async function measuredQuietly({ measure, once = false }, seconds) {
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
