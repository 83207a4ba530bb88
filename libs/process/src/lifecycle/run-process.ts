import { reasonOf } from '@keyfold/event-store';
import type { Logger } from 'pino';
import { Health } from '../health/health.js';
import { ManagementServer } from '../management/management-server.js';
import { Metrics } from '../metrics/metrics.js';
import type { Environment } from '../settings/read-settings.js';
import type { ProcessSettings } from '../settings/settings.js';
import { unknownSettings } from '../settings/unknown-settings.js';
import { openTracing } from '../tracing/open-tracing.js';
import type { Tracing } from '../tracing/tracing.js';
import { createLog } from '../log/log.js';
import { masked } from '../log/masked.js';
import { keepNextTickQuick } from './quick-next-tick.js';
import { reportAndExit } from '../exit/report-and-exit.js';

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
 * closes, status 0. A second signal ends it at once. A start that fails ends it with a message. `check` rejects where the process must
 * not start at all; it runs before a port is opened, because a port that is in use would hide the reason.
 */
export async function runProcess<Settings extends ProcessSettings>(
  read: (environment: Environment) => Settings,
  start: Start<Settings>,
  check?: (settings: Settings) => Promise<void>,
): Promise<void> {
  keepNextTickQuick();
  const stop = new AbortController();
  let tracing: Tracing | undefined;
  try {
    const warnings = unknownSettings(process.env);
    const settings = readOrWarn(read, warnings);
    const onTerminal = process.stdout.isTTY === true;
    const log = createLog(settings.KEYFOLD_LOG_LEVEL, onTerminal, () => tracing?.logFields() ?? {});
    for (const warning of warnings) log.warn(warning);
    await check?.(settings);
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

/** A misspelt setting is often why another one is missing, and there is no log yet. */
function readOrWarn<Settings>(read: (environment: Environment) => Settings, warnings: readonly string[]): Settings {
  try {
    return read(process.env);
  } catch (error) {
    for (const warning of warnings) process.stderr.write(`keyfold: ${warning}\n`);
    throw error;
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
