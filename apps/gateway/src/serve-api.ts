import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FirstStart } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';
import {
  banner,
  createLog,
  firstPasswordNote,
  InvalidConfiguration,
  NestLog,
  UnusableAddress,
  type ApiSettings,
  type ProcessContext,
  type Running,
} from '@keyfold/process';
import { StoreCheck, untilAvailable } from '@keyfold/wiring';
import { drainConnections } from './drain-connections.js';
import { AdditionalListeners } from './additional-listeners.js';
import { createHttpAdapter, configureHttp } from './http-server.js';
import { measureGateway } from './metrics/measure-gateway.js';
import { RequestCounts } from './metrics/request-counts.js';
import { responseHeaders } from './request/response-headers.hook.js';
import { traceRequests } from './tracing/trace-requests.js';

/**
 * Creates the app of a module that includes the gateway, runs `beforeFirstRequest` and the first start, and listens. If the startup fails,
 * closes everything that it opened.
 */
export async function serveApi(
  module: DynamicModule,
  settings: ApiSettings,
  context: ProcessContext,
  beforeFirstRequest?: (app: NestFastifyApplication) => Promise<void>,
): Promise<NestFastifyApplication> {
  const { log, onTerminal } = context;
  const requests = new RequestCounts();
  const onRequest = requests.counting(responseHeaders(settings.KEYFOLD_HSTS_SECONDS));
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    createHttpAdapter(onRequest, settings.KEYFOLD_HEAD_BYTES),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
    },
  );
  if (context.tracing) traceRequests(app.getHttpAdapter().getInstance(), context.tracing.requests);
  requests.attach(app.getHttpAdapter().getInstance());
  configureHttp(app, onRequest);
  const listeners = new AdditionalListeners(app.getHttpAdapter().getInstance());
  try {
    await app.init();
    measureGateway(app, requests, context.metrics);
    await beforeFirstRequest?.(app);
    await prepare(app, settings, context);
    const url = await listen(app, listeners, settings);
    if (onTerminal) process.stdout.write(banner(url));
    else log.info({ url }, 'ready');
  } catch (error) {
    // Report the original error, not one from closing.
    await app.close().catch(() => undefined);
    throw error;
  }
  return app;
}

/** Returns a handle that closes the app without losing requests: clients disconnect first. */
export const closingGracefully = (app: NestFastifyApplication, { onTerminal }: ProcessContext): Running => ({
  async close() {
    // At a terminal, somebody is waiting for the process to stop.
    if (!onTerminal) await drainConnections(app.getHttpAdapter().getInstance());
    await app.close();
  },
});

async function prepare(app: NestFastifyApplication, settings: ApiSettings, context: ProcessContext): Promise<void> {
  const announce = (password: string) => announceFirstPassword(password, context.onTerminal);
  context.health.setPending('store', 'checking for admin, guest and static token');
  const firstStart = () =>
    app.get(FirstStart).run(settings.KEYFOLD_ADMIN_PASSWORD, announce).catch(asConfigurationError);
  await untilAvailable(firstStart, context);
  context.health.add('store', () => app.get(StoreCheck, { strict: false }).run());
}

/** Rethrows the refusal of the first password as a configuration error that names the setting. */
function asConfigurationError(error: unknown): never {
  if (error instanceof DomainError)
    throw new InvalidConfiguration([`KEYFOLD_ADMIN_PASSWORD: ${refusalFor(error).message}`]);
  throw error;
}

/** Shows the first password at any log level, before anything else can fail. */
function announceFirstPassword(password: string, onTerminal: boolean): void {
  if (onTerminal) process.stdout.write(firstPasswordNote(password));
  else
    createLog('info', false).info(
      { password },
      'Successfully created the admin user and the initial password is in this line',
    );
}

async function listen(
  app: NestFastifyApplication,
  listeners: AdditionalListeners,
  { KEYFOLD_HOST, KEYFOLD_PORT }: ApiSettings,
): Promise<string> {
  try {
    const [first, ...others] = await AdditionalListeners.addressesOf(KEYFOLD_HOST);
    await app.listen(KEYFOLD_PORT, first);
    for (const address of others) await listeners.listen(address);
    return await app.getUrl();
  } catch (error) {
    const settings = { host: 'KEYFOLD_HOST', port: 'KEYFOLD_PORT' };
    throw new UnusableAddress(KEYFOLD_HOST, KEYFOLD_PORT, settings, error as Error);
  }
}
