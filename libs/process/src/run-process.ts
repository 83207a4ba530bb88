import { reasonOf } from '@keyfold/reporting';
import type { Logger } from 'pino';
import { executionAsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportAndExit } from './exit.js';
import { Health } from './health.js';
import { collectWhenIdle } from './idle-memory.js';
import { createLog, maskSecrets } from './log/create-log.js';
import { ManagementServer } from './management-server.js';
import { Metrics } from './metrics/metrics.js';
import { version } from './service-version.js';
import type { Environment } from './settings/read-settings.js';
import type { ProcessSettings } from './settings/settings.js';
import { unknownSettings } from './settings/unknown-settings.js';
import { openTracing } from './tracing/open-tracing.js';
import type { Tracing } from './tracing/tracing.js';

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

/**
 * Runs a process: reads its settings, opens the management port and calls `start`. If that rejects, nothing may be left to close. On SIGTERM or SIGINT it becomes unready, closes its
 * work and the management port, and exits with status 0. A second signal ends it at once. A failed startup exits with a message.
 * `check` rejects if the process must not start; it runs before a port is opened, because a port in use would hide the reason.
 */
export async function runProcess<Settings extends ProcessSettings>(
  read: (environment: Environment) => Settings,
  start: (settings: Settings, context: ProcessContext) => Promise<Running>,
  check?: (settings: Settings) => Promise<void>,
): Promise<void> {
  keepNextTickQuick();
  collectWhenIdle();
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
      else log.info({ url, version }, 'ready');
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

const READINESS_POLL_MS = 500;

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
    await sleep(READINESS_POLL_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}

/** Returns the note that shows the generated password on the terminal at the first start. */
export const firstPasswordNote = (password: string): string =>
  frame(
    'The admin account was created:',
    '',
    '  user name  admin',
    `  password   ${password}`,
    '',
    'Shown only once. Change it with: keyfold account set-password admin',
  );

/** Returns the note that shows the setup code on the terminal while the admin is not set up. */
export const setupNote = (page: string, code: string): string =>
  frame(
    'To choose the password of the admin in a browser, open:',
    '',
    `  address     ${page}`,
    `  setup code  ${code}`,
  );

/** Returns an address of the service that a browser on this machine can open. */
export const browserAddress = (url: string): string => url.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost');

/** Returns the note that the service is ready, for the terminal. */
export function banner(url: string): string {
  return frame(`Keyfold is ready at ${url}`, `API documentation: ${browserAddress(url)}/docs     Stop with Ctrl-C`);
}

const frame = (...lines: readonly string[]) => `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`;

/**
 * Node 24 creates an object with symbol keys for each `process.nextTick`. Once a garbage collection finds none alive, V8 forgets their shape:
 * a tick then takes 340 ns instead of 40, a sixth of the CPU time of a ping. Keeping one alive prevents that. Measure with the next Node.
 */
let kept: object | undefined;

export function keepNextTickQuick(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
