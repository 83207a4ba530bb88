import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 180_000;
const LOOK_MS = 100;

/** Waits until something holds; throws what did not. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await pause(LOOK_MS);
  }
}
