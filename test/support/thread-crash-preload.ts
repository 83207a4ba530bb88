import { existsSync, rmSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

/*
 * A module to load before a program (`node --import`). One of the threads that serve the API crashes each time the file `CRASH_FILE` is
 * created.
 */
const file = process.env['CRASH_FILE'];
const isServing = !isMainThread && (workerData as Record<string, unknown> | null)?.['settings'] !== undefined;

if (file !== undefined && isServing) {
  const timer = setInterval(() => {
    if (!existsSync(file)) return;
    rmSync(file);
    throw new Error('crashed by a test');
  }, 20);
  timer.unref();
}
