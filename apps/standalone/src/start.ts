import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FirstStart } from '@keyfold/application';
import { FolderInUse, UnusableFile } from '@keyfold/event-store/sqlite';
import { createHttpAdapter, serveHttp } from '@keyfold/gateway';
import { SealBroken, UnknownSealingKey } from '@keyfold/security';
import { banner, firstPasswordNote } from './banner.js';
import { EmbeddedStoreModule } from './embedded-store.module.js';
import { createLog, NestLog } from './log.js';
import { InvalidConfiguration, readStandaloneConfig, type StandaloneConfig } from './standalone.config.js';
import { keepNextTickQuick } from './quick-next-tick.js';
import { StandaloneModule } from './standalone.module.js';

/** Starts the service with the settings of the environment; a start that fails ends the process with a message. */
export async function startOrExit(): Promise<void> {
  keepNextTickQuick();
  try {
    await start(readStandaloneConfig(process.env));
  } catch (error) {
    reportAndExit(error);
  }
}

/** sysexits.h: the configuration is wrong; anything else that stops the start is 1. */
const EX_CONFIG = 78;

async function start(config: StandaloneConfig): Promise<void> {
  const onTerminal = process.stdout.isTTY === true;
  const log = createLog(config.KEYFOLD_LOG_LEVEL, onTerminal);
  const module = StandaloneModule.forRoot(EmbeddedStoreModule.forRoot(config));
  const app = await NestFactory.create<NestFastifyApplication>(module, createHttpAdapter(), {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  serveHttp(app);
  // Asked to end, the process ends with 0; by default Nest would let the signal kill it.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.init();
  await app.get(FirstStart).run(config.KEYFOLD_ADMIN_PASSWORD, (password) => {
    // Shown whatever the log level, and before anything else can fail.
    if (onTerminal) process.stdout.write(firstPasswordNote(password));
    else
      createLog('info', false).info(
        { password },
        'Successfully created the admin user and the initial password is in this line',
      );
  });
  await app.listen(config.KEYFOLD_PORT, config.KEYFOLD_HOST);
  const url = await app.getUrl();
  if (onTerminal) process.stdout.write(banner(url));
  else log.info({ url }, 'ready');
}

function reportAndExit(error: unknown): never {
  process.stderr.write(`keyfold cannot start: ${explain(error)}\n`);
  process.exit(error instanceof InvalidConfiguration ? EX_CONFIG : 1);
}

/** Errors whose message tells an operator what to do. */
const OPERATOR_ERRORS = [InvalidConfiguration, FolderInUse, UnusableFile, UnknownSealingKey, SealBroken];

/** What to do about it, for everything an operator can do something about; else the whole error. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (OPERATOR_ERRORS.some((kind) => error instanceof kind)) return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${error.message}: choose another port with KEYFOLD_PORT, or stop the program that has it`;
  return syscall ? error.message : (error.stack ?? error.message);
}
