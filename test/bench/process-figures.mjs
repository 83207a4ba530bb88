// Figures of a process from the operating system. Undefined on systems other than Linux.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;
const POLL_MS = 200;
const IDLE_SHARE = 0.05;
const LONGEST_WAIT_MS = 20_000;

const hasFigures = existsSync('/proc/self/stat');

/** Returns the CPU seconds used so far by all threads. */
export function cpuSeconds(pid) {
  if (!hasFigures) return undefined;
  // The program name is in parentheses and may contain spaces. User and system time are the 12th and 13th field after
  // it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Returns the CPU seconds of this process and the seconds that some work takes. */
export async function timed(work) {
  const before = { cpu: process.cpuUsage(), time: performance.now() };
  await work();
  const { user, system } = process.cpuUsage(before.cpu);
  return { cpuSeconds: (user + system) / 1e6, seconds: (performance.now() - before.time) / 1e3 };
}

/** Returns the megabytes of resident memory. */
export function residentMegabytes(pid) {
  if (!hasFigures) return undefined;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) / 1024;
}

/**
 * Waits until the process is idle, so that its work for one load does not burden the next. Returns the seconds waited.
 */
export async function untilIdle(pid) {
  const start = performance.now();
  const waited = () => performance.now() - start;
  for (let before = cpuSeconds(pid); waited() < LONGEST_WAIT_MS;) {
    await pause(POLL_MS);
    const now = cpuSeconds(pid);
    if (!hasFigures || now - before < (IDLE_SHARE * POLL_MS) / 1000) break;
    before = now;
  }
  return waited() / 1000;
}
