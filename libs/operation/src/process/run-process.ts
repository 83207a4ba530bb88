import { reasonOf } from '@keyfold/event-store';
import type { Logger } from 'pino';
import { Health } from '../health/health.js';
import { ManagementServer } from '../health/management-server.js';
import { Metrics } from '../metrics/metrics.js';
import type { Environment } from '../settings/read-settings.js';
import type { ProcessSettings } from '../settings/settings.js';
import { openTracing } from '../tracing/open-tracing.js';
import type { Tracing } from '../tracing/tracing.js';
import { createLog } from './log.js';
import { masked } from './masked.js';
import { keepNextTickQuick } from './quick-next-tick.js';
import { reportAndExit } from './report-and-exit.js';

/** What the work of a process finds around it. `stopping` is aborted when the process was asked to end, also while it starts. */
export type ProcessContext = Readonly<{
  log: Logger;
  onTerminal: boolean;
  health: Health;
  metrics: Metrics;
  /** There where the process is traced. */
  tracing?: Tracing | undefined;
  stopping: AbortSignal;
}>;

/** What was started; `close` finishes what runs. */
export type Running = Readonly<{ close(): Promise<void> }>;

/** A start that rejects leaves nothing to close. */
type Start<Settings> = (settings: Settings, context: ProcessContext) => Promise<Running>;

/**
 * The life of a process: settings, management port, start; on SIGTERM or SIGINT not ready, what was started closes, the management port
 * closes, status 0. A second signal ends it at once. A start that fails ends it with a message.
 */
export async function runProcess<Settings extends ProcessSettings>(
  read: (environment: Environment) => Settings,
  start: Start<Settings>,
): Promise<void> {
  keepNextTickQuick();
  const stop = new AbortController();
  let tracing: Tracing | undefined;
  try {
    const settings = read(process.env);
    const onTerminal = process.stdout.isTTY === true;
    const log = createLog(settings.KEYFOLD_LOG_LEVEL, onTerminal, () => tracing?.logFields() ?? {});
    tracing = await openTracing(settings, log);
    const health = new Health();
    const metrics = new Metrics();
    const management = await ManagementServer.open(
      settings.KEYFOLD_MANAGEMENT_HOST,
      settings.KEYFOLD_MANAGEMENT_PORT,
      health,
      metrics,
    );
    const starting = start(settings, { log, onTerminal, health, metrics, tracing, stopping: stop.signal });
    onFirstSignal(async () => {
      health.stopping();
      stop.abort();
      const running = await starting.catch(() => undefined);
      await running?.close();
      await tracing?.end();
      await management.close();
    });
    await starting;
    health.started();
    if (!onTerminal) log.info({ url: management.url }, 'management');
  } catch (error) {
    if (!stop.signal.aborted) reportAndExit(error);
  }
}

/** Asked to end, the process ends with 0; by default the signal would kill it, as the second one does. */
function onFirstSignal(close: () => Promise<void>): void {
  const end = (): void => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, end);
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`keyfold did not end well: ${masked(reasonOf(error))}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, end);
}
