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
import { createLog } from '../log/create-log.js';
import { maskSecrets } from '../log/mask-secrets.js';
import { banner } from './banner.js';
import { keepNextTickQuick } from './keep-next-tick-quick.js';
import { reportReady } from './report-ready.js';
import { reportAndExit } from '../exit/report-and-exit.js';

/** The services around the work of a process. */
export type ProcessContext = Readonly<{
  log: Logger;
  onTerminal: boolean;
  health: Health;
  metrics: Metrics;
  /** Undefined if the process is not traced. */
  tracing?: Tracing | undefined;
  /** Aborts when the shutdown begins, even during startup. */
  stopping: AbortSignal;
}>;

/** The running work of a process; `close` finishes it. `url`: where it serves the API. */
export type Running = Readonly<{ url?: string; close(): Promise<void> }>;

/** Starts the work of a process. If it rejects, nothing is left to close. */
type Start<Settings> = (settings: Settings, context: ProcessContext) => Promise<Running>;

/**
 * Runs a process: reads its settings, opens the management port and calls `start`. On SIGTERM or SIGINT it becomes unready, closes its
 * work and the management port, and exits with status 0. A second signal ends it at once. A failed startup exits with a message.
 * `check` rejects if the process must not start; it runs before a port is opened, because a port in use would hide the reason.
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
      stop.abort(new Error('the process is shutting down'));
      const running = await starting.catch(() => undefined);
      await running?.close();
      await tracing?.end();
      await management.close();
    });
    const { url } = await starting;
    health.started();
    if (!onTerminal) log.info({ url: management.url }, 'management');
    await reportReady(health, log, stop.signal, () => {
      if (onTerminal && url) process.stdout.write(banner(url));
      else log.info({ url }, 'ready');
    });
  } catch (error) {
    if (!stop.signal.aborted) reportAndExit(error);
  }
}

/** Prints the warnings if reading fails: a misspelt setting is often why another one is missing, and there is no log yet. */
function readOrWarn<Settings>(read: (environment: Environment) => Settings, warnings: readonly string[]): Settings {
  try {
    return read(process.env);
  } catch (error) {
    for (const warning of warnings) process.stderr.write(`keyfold: ${warning}\n`);
    throw error;
  }
}

/** Closes the process on the first signal and exits with status 0. A second signal kills it, as is the default. */
function onFirstSignal(close: () => Promise<void>): void {
  const end = (): void => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, end);
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`keyfold failed to shut down cleanly: ${maskSecrets(reasonOf(error))}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, end);
}
