import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` while holding a lock file, so that only one process at a time does. Takes over the lock of a dead process. */
export async function holdingLock(path, work) {
  while (!take(path)) {
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
    else await sleep(200);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  // Without this, Ctrl-C would leave the lock behind, and another process could reuse the id in it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  try {
    await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The process id in a lock file; 0 if the file is gone or still empty. */
function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

/** Returns whether a process with this id is running. */
export function isAlive(pid) {
  // The owner is unknown as yet: the caller retries.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
