import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FirstStart, Setup } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';
import {
  browserAddress,
  createLog,
  firstPasswordNote,
  InvalidConfiguration,
  openlistOf,
  setupNote,
  type ApiSettings,
  type ProcessContext,
  type ProcessSettings,
  type Running,
} from '@keyfold/process';
import { StoreCheck, untilAvailable } from '@keyfold/wiring';
import { FileServerPort } from './file-servers/file-server-port.js';
import { drainConnections } from './http/connections.js';
import { createApi } from './http/create-api.js';
import { Forwarding } from './http/forwarding.js';
import { openThreads, type ThreadOptions } from './threads/open-threads.js';
import type { ServingThreads } from './threads/serving-threads.js';

/** `threads`: the threads that serve, of which this one is the first; by default only this one. */
type ServeOptions = Readonly<{
  threads?: (app: NestFastifyApplication) => ThreadOptions;
  beforeFirstRequest?: (app: NestFastifyApplication) => Promise<void>;
}>;

/**
 * Creates the app of a module that includes the gateway, runs `beforeFirstRequest` and the first start, and serves. If the startup fails,
 * closes everything that it opened.
 */
export async function serveApi(
  module: DynamicModule,
  settings: ApiSettings & ProcessSettings,
  context: ProcessContext,
  { threads, beforeFirstRequest }: ServeOptions = {},
): Promise<Running & Readonly<{ app: NestFastifyApplication }>> {
  const { onTerminal } = context;
  let others: ServingThreads | undefined;
  let fileServers: FileServerPort | undefined;
  let url: string;
  const { app, listen } = await createApi(module, settings, context, async () => others?.close(false));
  try {
    others = threads && (await openThreads(app, settings, threads(app), context));
    await beforeFirstRequest?.(app);
    const setupCode = await prepare(app, settings, context);
    fileServers = await FileServerPort.open(app, settings, context);
    const listening = await listen(settings.KEYFOLD_PORT, others ? 'first' : 'alone');
    url = listening.url;
    await others?.listen(listening.port, context.stopping);
    if (setupCode !== undefined) announceSetup(setupCode, url, onTerminal);
  } catch (error) {
    // Report the original error, not one from closing.
    await fileServers?.close();
    await app.close().catch(() => undefined);
    throw error;
  }
  return {
    app,
    url,
    async close() {
      // All threads close at the same time.
      void others?.close(!onTerminal);
      // Clients disconnect first, so that no request is lost. At a terminal, somebody is waiting for the process to stop.
      if (!onTerminal) await drainConnections(app.getHttpAdapter().getInstance());
      await fileServers?.close();
      await app.close();
    },
  };
}

/** Returns the code of the setup if it is open. */
async function prepare(
  app: NestFastifyApplication,
  settings: ApiSettings,
  context: ProcessContext,
): Promise<string | undefined> {
  const announce = (password: string) => announceFirstPassword(password, context.onTerminal);
  context.health.setPending('store', 'checking for admin, guest and static token');
  const firstStart = () =>
    app.get(FirstStart).run(settings.KEYFOLD_ADMIN_PASSWORD, announce).catch(asConfigurationError);
  await untilAvailable(firstStart, context);
  const [setupCode] = await untilAvailable(() => app.get(Setup, { strict: false }).codes(), context);
  context.health.add('store', () => app.get(StoreCheck, { strict: false }).run());
  // Without OpenList, the account routes still work.
  if (openlistOf(settings)) context.health.add('openlist', async () => app.get(Forwarding, { strict: false }).check());
  return setupCode;
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

/** Shows the setup code at every start while the setup is open, at any log level like the password. */
function announceSetup(setupCode: string, url: string, onTerminal: boolean): void {
  const page = `${browserAddress(url)}/@account`;
  if (onTerminal) process.stdout.write(setupNote(page, setupCode));
  else
    createLog('info', false).info(
      { setupCode, page },
      'the admin is not set up: open the page and enter the setup code',
    );
}
