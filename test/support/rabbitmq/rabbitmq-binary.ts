import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The folder with `rabbitmq-server` and `rabbitmqctl`, and words on where it came from. */
export type RabbitmqBinary = Readonly<{ folder: string; origin: string }>;

const run = promisify(execFile);
const PACKAGE = 'rabbitmq-server';
/** Debian's own programs. Those on the search path may be its wrappers, which become another user and leave the process group. */
const DEBIAN = '/usr/lib/rabbitmq/bin';
const FURTHER = ['/usr/sbin', '/usr/local/sbin', '/opt/rabbitmq/sbin'];

/** Finds RabbitMQ on this machine, or installs Debian's package. Throws one line that says what was tried. */
export function rabbitmqBinary(): Promise<RabbitmqBinary> {
  return (found ??= find());
}
let found: Promise<RabbitmqBinary> | undefined;

async function find(): Promise<RabbitmqBinary> {
  const installed = await findInstalled();
  if (installed !== undefined) return { folder: installed, origin: `rabbitmq-server from ${installed}` };
  try {
    await installPackage();
  } catch (error) {
    throw new Error(
      `RabbitMQ: set RABBITMQ_URL or install rabbitmq-server, because none was found on PATH or in ${DEBIAN}, ` +
        `and Debian's package cannot be installed: ${(error as Error).message.split('\n')[0]}`,
      { cause: error },
    );
  }
  return { folder: DEBIAN, origin: `rabbitmq-server from Debian's package, installed just now` };
}

async function findInstalled(): Promise<string | undefined> {
  for (const folder of [DEBIAN, ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...FURTHER]) {
    if (await isExecutable(join(folder, 'rabbitmq-server'))) return folder;
  }
  return undefined;
}

async function installPackage(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('that needs root');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', PACKAGE], { env });
  if (!(await isExecutable(join(DEBIAN, 'rabbitmq-server')))) throw new Error(`it has nothing in ${DEBIAN}`);
}

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
