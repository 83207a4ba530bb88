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
import { drainConnections } from './connections-on-close.js';
import { FurtherListeners } from './further-listeners.js';
import { createHttpAdapter, serveHttp } from './http-server.js';
import { measureGateway } from './metrics/gateway-metrics.js';
import { RequestCounts } from './metrics/request-counts.js';
import { answerHeaders } from './request/answer-headers.hook.js';
import { followRequests } from './tracing/follow-requests.js';

/**
 * Makes the app of a module that has the gateway in it, does what comes before the first request, sees to the first start, and listens.
 * A start that fails closes what it opened.
 */
export async function serveApi(
  module: DynamicModule,
  settings: ApiSettings,
  context: ProcessContext,
  beforeFirstRequest?: (app: NestFastifyApplication) => Promise<void>,
): Promise<NestFastifyApplication> {
  const { log, onTerminal } = context;
  const requests = new RequestCounts();
  const onRequest = requests.counting(answerHeaders(settings.KEYFOLD_HSTS_SECONDS));
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    createHttpAdapter(onRequest, settings.KEYFOLD_HEAD_BYTES),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
    },
  );
  if (context.tracing) followRequests(app.getHttpAdapter().getInstance(), context.tracing.requests);
  requests.attach(app.getHttpAdapter().getInstance());
  serveHttp(app, onRequest);
  const listeners = new FurtherListeners(app.getHttpAdapter().getInstance());
  try {
    await app.init();
    measureGateway(app, requests, context.metrics);
    await beforeFirstRequest?.(app);
    await prepare(app, settings, context);
    const url = await listen(app, listeners, settings);
    if (onTerminal) process.stdout.write(banner(url));
    else log.info({ url }, 'ready');
  } catch (error) {
    // What went wrong first is what is told.
    await app.close().catch(() => undefined);
    throw error;
  }
  return app;
}

/** Closes an app that serves the API without a request being lost: its clients leave first. */
export const closingAfterClients = (app: NestFastifyApplication, { onTerminal }: ProcessContext): Running => ({
  async close() {
    // Whoever stops it at a terminal waits for it.
    if (!onTerminal) await drainConnections(app.getHttpAdapter().getInstance());
    await app.close();
  },
});

async function prepare(app: NestFastifyApplication, settings: ApiSettings, context: ProcessContext): Promise<void> {
  const announce = (password: string) => announceFirstPassword(password, context.onTerminal);
  context.health.setPending('store', 'admin, guest and static token are being looked for');
  const firstStart = () => app.get(FirstStart).run(settings.KEYFOLD_ADMIN_PASSWORD, announce).catch(blameSetting);
  await untilAvailable(firstStart, context);
  context.health.add('store', () => app.get(StoreCheck, { strict: false }).run());
}

/** A chosen first password that the policy refuses. */
function blameSetting(error: unknown): never {
  if (error instanceof DomainError)
    throw new InvalidConfiguration([`KEYFOLD_ADMIN_PASSWORD: ${refusalFor(error).message}`]);
  throw error;
}

/** Shown whatever the log level, and before anything else can fail. */
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
  listeners: FurtherListeners,
  { KEYFOLD_HOST, KEYFOLD_PORT }: ApiSettings,
): Promise<string> {
  try {
    const [first, ...others] = await FurtherListeners.addressesOf(KEYFOLD_HOST);
    await app.listen(KEYFOLD_PORT, first);
    for (const address of others) await listeners.listen(address);
    return await app.getUrl();
  } catch (error) {
    const settings = { host: 'KEYFOLD_HOST', port: 'KEYFOLD_PORT' };
    throw new UnusableAddress(KEYFOLD_HOST, KEYFOLD_PORT, settings, error as Error);
  }
}
