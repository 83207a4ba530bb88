import { chown, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ComposeFile, Service } from './compose-file.js';
import type { ContainerPlan } from './container.js';
import type { Image, Mount } from './images.js';

/** The folders of the project and of the run. */
export type Folders = Readonly<{ project: string; run: string }>;

type Identity = Pick<ContainerPlan, 'name' | 'namespace' | 'addresses'>;

/** Merges the settings of a service with those of its image by Docker's rules. */
export async function planOf(
  file: ComposeFile,
  service: Service,
  image: Image,
  identity: Identity,
  folders: Folders,
): Promise<ContainerPlan> {
  const user = service.user ?? image.user;
  const check = service.healthcheck ?? image.healthcheck;
  return {
    ...identity,
    folder: join(folders.run, identity.name),
    hostname: service.hostname ?? identity.name,
    user: image.users[user] ?? Number(user),
    users: image.users,
    capabilities: service.cap_add.map((name) => `+${name.toLowerCase()}`),
    workingFolder: image.workingFolder,
    environment: { ...image.environment, ...service.environment },
    // An entrypoint in the service discards the command of the image.
    commandLine: [
      ...(service.entrypoint ?? image.entrypoint),
      ...(service.command ?? (service.entrypoint ? [] : image.command)),
    ],
    mounts: [
      ...image.mounts,
      ...service.tmpfs.map(tmpfsOf),
      ...service.secrets.map((name) => secretOf(file, name, folders)),
      ...(await Promise.all(service.volumes.map((volume) => volumeOf(file, volume, image.volumeOwner, folders)))),
    ],
    healthcheck: check?.disable ? undefined : check,
    stopSignal: image.stopSignal,
    stopGrace: service.stop_grace_period,
  };
}

/** Everybody may write to a new file system, unless the service gives it a mode. */
function tmpfsOf(text: string): Mount {
  const [, target = '', mode = '1777'] = /^([^:]+)(?::mode=(\d+))?$/.exec(text) ?? [];
  if (target === '') throw new Error(`the runner does not implement the options of tmpfs ${text}`);
  return { kind: 'tmpfs', target, source: mode };
}

/** Mounts the file itself, with its owner and mode. */
function secretOf({ secrets }: ComposeFile, name: string, { project }: Folders): Mount {
  const secret = secrets[name];
  if (!secret) throw new Error(`secret ${name} does not exist`);
  return { kind: 'ro', source: resolve(project, secret.file), target: `/run/secrets/${name}` };
}

/** Mounts a file of the project, or a volume. A new volume is a folder that belongs to the user of the image. */
async function volumeOf({ volumes }: ComposeFile, text: string, owner: number, folders: Folders): Promise<Mount> {
  const [source = '', target = '', mode = 'rw'] = text.split(':');
  if (source.startsWith('./')) {
    if (mode !== 'ro') throw new Error(`${text} must be read-only: it is part of the project`);
    return { kind: 'ro', source: resolve(folders.project, source), target };
  }
  if (!volumes[source]) throw new Error(`volume ${source} does not exist`);
  const folder = join(folders.run, 'volumes', source);
  if ((await mkdir(folder, { recursive: true })) !== undefined) await chown(folder, owner, owner);
  return { kind: 'rw', source: folder, target };
}
