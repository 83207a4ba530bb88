// The growing rings of npm run bench:soak: many clients add keys until their rings are nearly full. Measures the rate of the adds and the
// bytes that they write as the rings grow, and the memory of the process afterwards.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Accounts } from './accounts.mjs';
import { App, temporaryFolder } from './app.mjs';
import { Child } from './child.mjs';
import { loadOn } from './load.mjs';
import { residentMegabytes } from './process-figures.mjs';
import { columns, decimals, whole } from './table.mjs';

const RINGS = 120;
/** Keys in each ring at which the adds are measured, and how many are added to it then. */
const SIZES = [10, 250, 500, 900];
const MEASURED = 40;
const IDLE_SECONDS = 30;
/** The least rate in the largest rings as a share of that in the smallest. */
const RATE_GOAL = 0.7;
/** The most bytes that an add to the largest rings writes, as a multiple of those of an add to the smallest. */
const BYTES_GOAL = 4;
const MEMORY_GOAL = 300;

/** Runs the measurement on a new app, prints its table, and returns a line for each missed goal. */
export async function measureRings(threads) {
  const app = await App.start(temporaryFolder(), threads);
  const generator = new Child('./generator.mjs');
  const clients = (await (await Accounts.of(app.url)).make(RINGS)).map(({ headers }) => ({ headers }));
  const add = async (perRing) => {
    const before = written(app.pid);
    const request = { url: `${app.url}/api/me/sshkey/add`, method: 'POST', clients, keys: perRing };
    const figures = await loadOn(app.pid, generator, { ...request, amount: perRing * RINGS });
    return { ...figures, bytes: (written(app.pid) - before) / (perRing * RINGS) };
  };
  const rows = [];
  let keys = 0;
  for (const size of SIZES) {
    await add(size - keys);
    rows.push({ size, ...(await add(MEASURED)) });
    keys = size + MEASURED;
  }
  generator.end();
  const after = residentMegabytes(app.pid);
  await pause(IDLE_SECONDS * 1000);
  const idle = residentMegabytes(app.pid);
  await app.stop();
  console.log(tableOf(rows));
  console.log(`${whole(after)} MB after the adds, ${whole(idle)} MB after ${IDLE_SECONDS} idle seconds`);
  return missedGoals(rows, idle);
}

/** Returns the bytes that a process has written to disks. */
const written = (pid) => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1]);

const tableOf = (rows) =>
  columns([
    ['keys before', 'adds a second', 'p99', 'cpu/request', 'bytes written'],
    ...rows.map(({ size, perSecond, p99, cpu = NaN, bytes }) => {
      return [String(size), whole(perSecond), `${p99} ms`, `${Math.round(cpu)} us`, whole(bytes)];
    }),
  ]);

function missedGoals(rows, idle) {
  const [smallest, largest] = [rows[0], rows.at(-1)];
  const rate = largest.perSecond / smallest.perSecond;
  const bytes = largest.bytes / smallest.bytes;
  return [
    ...(rate >= RATE_GOAL ? [] : [`adds to the largest rings: ${decimals(rate)} of the rate, goal ${RATE_GOAL}`]),
    ...(bytes <= BYTES_GOAL ? [] : [`bytes written by them: ${decimals(bytes)} times as many, goal ${BYTES_GOAL}`]),
    ...(idle <= MEMORY_GOAL ? [] : [`memory: ${whole(idle)} MB, goal ${MEMORY_GOAL}`]),
  ];
}
