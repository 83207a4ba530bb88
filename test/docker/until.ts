import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 180_000;
const POLL_MS = 100;

/** Polls a condition. Throws with its description after a timeout. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${TIMEOUT_MS} ms: ${what}`);
    await sleep(POLL_MS);
  }
}
