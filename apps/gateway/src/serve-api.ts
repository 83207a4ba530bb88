import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FirstStart } from '@keyfold/application';
import {
  banner,
  createLog,
  firstPasswordNote,
  NestLog,
  StoreCheck,
  untilAvailable,
  UnusableAddress,
  type ApiSettings,
  type ProcessContext,
} from '@keyfold/operation';
import { createHttpAdapter, serveHttp } from './http-server.js';

/** Makes the app of a module that has the gateway in it, does what comes before the first request, sees to the first start, and listens. */
export async function serveApi(
  module: DynamicModule,
  settings: ApiSettings,
  context: ProcessContext,
  beforeFirstRequest?: (app: NestFastifyApplication) => Promise<void>,
): Promise<NestFastifyApplication> {
  const { health, log, onTerminal } = context;
  const app = await NestFactory.create<NestFastifyApplication>(module, createHttpAdapter(), {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  serveHttp(app);
  await app.init();
  await beforeFirstRequest?.(app);
  const announce = (password: string) => announceFirstPassword(password, onTerminal);
  await untilAvailable(() => app.get(FirstStart).run(settings.KEYFOLD_ADMIN_PASSWORD, announce), context);
  health.add('store', () => app.get(StoreCheck, { strict: false }).run());
  const url = await listen(app, settings);
  if (onTerminal) process.stdout.write(banner(url));
  else log.info({ url }, 'ready');
  return app;
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

async function listen(app: NestFastifyApplication, { KEYFOLD_HOST, KEYFOLD_PORT }: ApiSettings): Promise<string> {
  try {
    await app.listen(KEYFOLD_PORT, KEYFOLD_HOST);
    return await app.getUrl();
  } catch (error) {
    throw new UnusableAddress('KEYFOLD_HOST', 'KEYFOLD_PORT', error as Error);
  }
}
