// A virtual machine shares its processors with strangers, and what is measured while they work tells more of them than of us.
import { existsSync, readFileSync } from 'node:fs';

/** The share of all processor time that strangers may take from a measurement before it is made again. */
const MOST_STOLEN = 0.03;
const TRIES = 4;

/**
 * Measures, and again when strangers took too much of the processors; answers the figures of the quietest try with `stolen`, the share
 * that they took of it. `once`: the subject uses up what it is measured with.
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

/** Of all processors since the machine started; the eighth figure is what the hypervisor gave to others (proc_stat(5)). Linux only. */
function processorTimes() {
  if (!existsSync('/proc/stat')) return undefined;
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line.split(/\s+/).slice(1).map(Number);
  return { all: times.slice(0, 8).reduce((sum, time) => sum + time), stolen: times[7] };
}

const stolenShare = (before, after) => (before ? (after.stolen - before.stolen) / (after.all - before.all || 1) : 0);
