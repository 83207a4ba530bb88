import { existsSync, rmSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

/*
 * A module to load before a program (`node --import`). With `CRASH_AT_START`, the threads that serve the API crash when they start. One of
 * them crashes each time the file `CRASH_FILE` is created, and hangs when the file `HANG_FILE` is created.
 */
const { CRASH_AT_START, CRASH_FILE, HANG_FILE } = process.env;
const isServing = !isMainThread && (workerData as Record<string, unknown> | null)?.['settings'] !== undefined;

/** Removes the file. Returns whether this thread was the one that removed it. */
function wasCreated(file: string | undefined): boolean {
  if (file === undefined || !existsSync(file)) return false;
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

if (isServing) {
  if (CRASH_AT_START) throw new Error('crashed at the start by a test');
  const timer = setInterval(() => {
    if (wasCreated(CRASH_FILE)) throw new Error('crashed by a test');
    if (wasCreated(HANG_FILE)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }, 20);
  timer.unref();
}
