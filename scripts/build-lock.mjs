import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Runs `work` while no other process that asks for the same lock file does. A lock whose process has died is taken over. */
export async function holdingLock(path, work) {
  while (!take(path)) {
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
    else await pause(200);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  // Else Ctrl-C leaves the lock behind, and another process may get the id that is in it.
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

/** 0 when it is gone by now, or not written yet. */
function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

/** Whether a process with this id runs. */
export function isAlive(pid) {
  // Nobody knows yet: it is looked at again.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
