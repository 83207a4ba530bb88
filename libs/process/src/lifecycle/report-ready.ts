import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health } from '../health/health.js';

const POLL_MS = 500;

/**
 * Calls `report` once the process is ready, so that no log claims it while `/health/ready` answers 503. Logs the failing checks once if
 * the process is not ready yet.
 */
export async function reportReady(
  health: Pick<Health, 'readiness'>,
  log: Pick<Logger, 'info'>,
  stopping: AbortSignal,
  report: () => void,
): Promise<void> {
  let isWaiting = false;
  while (!stopping.aborted) {
    const { status, checks } = await health.readiness();
    if (stopping.aborted) return;
    if (status === 'ready') return report();
    if (!isWaiting) log.info({ checks }, 'started, not ready yet');
    isWaiting = true;
    await sleep(POLL_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}
