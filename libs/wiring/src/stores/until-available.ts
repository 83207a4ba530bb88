import { BackOff, unlessAborted } from '@keyfold/concurrency';
import { StoreUnavailable } from '@keyfold/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessContext } from '@keyfold/process';

/** Milliseconds between attempts, doubled after each one up to the maximum. */
const INITIAL_DELAY = 250;
const MAX_DELAY = 4_000;

/** The parts of a process that a waiting startup needs. */
export type StartupContext = Pick<ProcessContext, 'health' | 'log' | 'stopping'>;

/**
 * Runs a step of the startup and retries it while the store is unavailable, because services may start in any order. Reports each new
 * reason in the log and in the readiness. Rejects if the process shuts down meanwhile.
 */
export async function untilAvailable<Result>(
  step: () => Promise<Result>,
  { health, log, stopping }: StartupContext,
): Promise<Result> {
  let loggedReason = '';
  for (const backOff = new BackOff(INITIAL_DELAY, MAX_DELAY); ;) {
    stopping.throwIfAborted();
    try {
      return await unlessAborted(stopping, step());
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      health.setPending('store', error.message);
      if (loggedReason !== error.message) log.warn(`startup is waiting: ${error.message}`);
      loggedReason = error.message;
    }
    await sleep(backOff.next(), undefined, { signal: stopping });
  }
}
