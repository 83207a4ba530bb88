import { cp, mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mongodBinary } from '../mongo/mongod-binary.js';
import { productionPackages } from '../production-packages.js';
import { rabbitmqPrograms } from '../rabbitmq/rabbitmq-programs.js';
import { run } from './run-program.js';
import { readDockerfile, type Copy, type ImageDescription } from './dockerfile.js';

/** A file or folder of this machine that is mounted in a container, or a new empty folder. */
export type Mount = Readonly<{ kind: 'ro' | 'rw' | 'tmpfs' | 'folder'; target: string; source?: string | undefined }>;

/** The parts of an image that the runner uses. */
export type Image = Omit<ImageDescription, 'copies'> &
  Readonly<{
    mounts: readonly Mount[];
    /** Users by name. A new volume belongs to the user who owns that folder in the image. */
    users: Readonly<Record<string, number>>;
    volumeOwner: number;
  }>;

const PROJECT = resolve(import.meta.dirname, '../../..');
const STAND_INS = join(import.meta.dirname, 'images');
/** The search path of Debian's images. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const NOTHING = {
  entrypoint: [],
  environment: { PATH: SYSTEM_PATH },
  workingFolder: '/',
  healthcheck: undefined,
} as const;

/**
 * Returns a replacement for an official image: programs of this machine with the environment, user and entrypoint of
 * the Dockerfile in github.com/docker-library. `folder` receives the files that they need.
 */
export async function officialImage(reference: string, folder: string): Promise<Image> {
  const make = OFFICIAL[reference.split(':', 1)[0] ?? ''];
  if (!make) throw new Error(`the runner has no replacement for the image ${reference}`);
  return make(folder);
}

const OFFICIAL: Readonly<Record<string, (folder: string) => Promise<Image>>> = {
  mongo: async () => ({
    ...NOTHING,
    entrypoint: ['docker-entrypoint.sh'],
    command: ['mongod'],
    environment: { PATH: SYSTEM_PATH, HOME: '/data/db' },
    user: '0',
    stopSignal: 'SIGTERM',
    users: { mongodb: 999 },
    volumeOwner: 999,
    mounts: [
      readOnly(mongodBinary().path, '/usr/local/bin/mongod'),
      readOnly(join(STAND_INS, 'mongo-entrypoint.sh'), '/usr/local/bin/docker-entrypoint.sh'),
      readOnly(join(STAND_INS, 'mongo-root-user.mjs'), '/opt/stand-in/mongo-root-user.mjs'),
      readOnly(join(PROJECT, 'node_modules'), '/opt/stand-in/node_modules'),
      readOnly(process.execPath, '/opt/stand-in/node'),
    ],
  }),
  rabbitmq: async (folder) => {
    const [plugins, defaults] = [join(folder, 'enabled_plugins'), join(folder, '10-defaults.conf')];
    await writeFile(plugins, '[rabbitmq_management,rabbitmq_prometheus].\n');
    await writeFile(defaults, 'loopback_users.guest = false\nlog.console = true\n');
    return {
      ...NOTHING,
      command: ['rabbitmq-server'],
      environment: {
        PATH: `${rabbitmqPrograms()}:${SYSTEM_PATH}`,
        HOME: '/var/lib/rabbitmq',
        LANG: 'C.UTF-8',
        RUNNING_UNDER_SYSTEMD: 'true',
        // Not part of the image: busy-waiting schedulers would slow down the test run.
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
      },
      user: '0',
      stopSignal: 'SIGTERM',
      users: { rabbitmq: 999 },
      volumeOwner: 999,
      mounts: [
        { kind: 'folder', target: '/var/log/rabbitmq', source: '999' },
        readOnly(plugins, '/etc/rabbitmq/enabled_plugins'),
        readOnly(defaults, '/etc/rabbitmq/conf.d/10-defaults.conf'),
      ],
    };
  },
  haproxy: async () => ({
    ...NOTHING,
    // The entrypoint of the image turns its command into this.
    command: ['haproxy', '-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'],
    user: '99',
    stopSignal: 'SIGUSR1',
    users: { haproxy: 99 },
    volumeOwner: 99,
    mounts: [{ kind: 'folder', target: '/var/lib/haproxy', source: '99' }],
  }),
};

/**
 * Builds the image of a Dockerfile of the project from the copies of its last stage. This machine's Node replaces the
 * base image.
 */
export async function builtImage(dockerfile: string, folder: string): Promise<Image> {
  const { copies, ...description } = readDockerfile(join(PROJECT, dockerfile));
  const content = join(folder, 'content');
  for (const copy of copies) await copyInto(content, description.workingFolder, copy);
  return {
    ...description,
    environment: { PATH: SYSTEM_PATH, ...description.environment },
    user: description.user.split(':', 1)[0] ?? '0',
    users: { node: 1000 },
    volumeOwner: 1000,
    mounts: [
      readOnly(process.execPath, '/usr/local/bin/node'),
      readOnly(join(content, description.workingFolder), description.workingFolder),
    ],
  };
}

async function copyInto(content: string, workingFolder: string, { stage, sources, target }: Copy): Promise<void> {
  for (const source of sources) {
    const from = join(PROJECT, stage === undefined ? source : source.replace(`${workingFolder}/`, ''));
    if (!existsSync(from)) throw new Error(`the image requires ${from}, which does not exist`);
    const into = join(content, resolve(workingFolder, target));
    // A stage without dev dependencies has fewer packages than this machine.
    if (from === join(PROJECT, 'node_modules')) await linkProductionPackages(into);
    // Relative links, such as those to builds, stay relative.
    else if (source.endsWith('/') || stage !== undefined)
      await cp(from, into, { recursive: true, verbatimSymlinks: true });
    else await cp(from, join(into, source));
  }
}

/** Hard-links the packages that `npm ci --omit=dev` would install. Copies would take too long. */
async function linkProductionPackages(target: string): Promise<void> {
  const packages = await productionPackages();
  await mkdir(target, { recursive: true });
  await run(
    'sh',
    '-c',
    'cd "$1" && shift && target=$1 && shift && cp -al --parents "$@" "$target"',
    'sh',
    join(PROJECT, 'node_modules'),
    target,
    ...packages.map((name) => `./${name}`),
  );
}

const readOnly = (source: string, target: string): Mount => ({ kind: 'ro', source, target });
