import { App, temporaryFolder } from './app.mjs';
import { median } from './rounds.mjs';

const STARTS = 5;
const GOAL_MS = 1_000;

/**
 * Returns the median milliseconds from the start of the process to its first answer, for new and for existing data
 * folders.
 */
export async function readyTimes() {
  const existing = temporaryFolder();
  await readyIn(existing);
  const times = { fresh: [], existing: [] };
  for (let start = 0; start < STARTS; start += 1) {
    times.fresh.push(await readyIn(temporaryFolder()));
    times.existing.push(await readyIn(existing));
  }
  return { fresh: median(times.fresh), existing: median(times.existing) };
}

async function readyIn(folder) {
  const app = await App.start(folder);
  await app.stop();
  return app.readyMs;
}

export const readyText = ({ fresh, existing }) =>
  `ready after ${Math.round(existing)} ms with an existing data folder, ${Math.round(fresh)} ms with a fresh one`;

/** Returns one line for each missed goal. */
export const missedReadyGoals = (times) =>
  Object.entries(times)
    .filter(([, ms]) => !(ms < GOAL_MS))
    .map(
      ([folder, ms]) =>
        `ready after ${Math.round(ms)} ms with a data folder that is ${folder}, the goal is ${GOAL_MS} ms`,
    );
