import { StoreUnavailable } from '@keyfold/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessContext } from '@keyfold/process';

/** Milliseconds between two tries; doubled from the first to the last. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4_000;

/**
 * Runs a step of the start and waits while the store is away, because the order in which services start must not matter. Readiness and
 * one log line for each new reason say why. Rejects when the process is asked to end.
 */
export async function untilAvailable<Result>(
  step: () => Promise<Result>,
  { health, log, stopping }: Pick<ProcessContext, 'health' | 'log' | 'stopping'>,
): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined);
  const stop = () => stopped.reject(new Error('asked to end'));
  stopping.addEventListener('abort', stop, { once: true });
  let told = '';
  try {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      stopping.throwIfAborted();
      try {
        return await Promise.race([step(), stopped.promise]);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        health.waitsFor('store', error.message);
        if (told !== error.message) log.warn(`the start waits: ${error.message}`);
        told = error.message;
      }
      await sleep(pause, undefined, { signal: stopping });
    }
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}
