// What the operating system knows of a process. Linux only: elsewhere the figures are undefined.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Linux counts the time of processes in hundredths of a second. */
const TICKS_A_SECOND = 100;
const LOOK_MS = 200;
const IDLE_SHARE = 0.05;
const LONGEST_WAIT_MS = 20_000;

const hasFigures = existsSync('/proc/self/stat');

/** Seconds of processor time so far, all threads together. */
export function cpuSeconds(pid) {
  if (!hasFigures) return undefined;
  // The name of the program is in parentheses and may hold blanks; user and system time are the 12th and 13th field behind it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Megabytes in memory now. */
export function residentMegabytes(pid) {
  if (!hasFigures) return undefined;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) / 1024;
}

/** Waits until the process rests, so that its work for one load is not paid by the next. Answers the seconds that took. */
export async function untilIdle(pid) {
  const start = performance.now();
  const waited = () => performance.now() - start;
  for (let before = cpuSeconds(pid); waited() < LONGEST_WAIT_MS;) {
    await pause(LOOK_MS);
    const now = cpuSeconds(pid);
    if (!hasFigures || now - before < (IDLE_SHARE * LOOK_MS) / 1000) break;
    before = now;
  }
  return waited() / 1000;
}
