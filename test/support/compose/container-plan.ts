import { chown, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ComposeFile, Service } from './compose-file.js';
import type { ContainerPlan } from './container.js';
import type { Image, Mount } from './images.js';

/** Where the files of a run are: the project that is run, and the folder of the run. */
export type Places = Readonly<{ project: string; run: string }>;

type Placed = Pick<ContainerPlan, 'name' | 'namespace' | 'addresses'>;

/** Puts together what the service says and what its image says, by the rules of Docker. */
export async function planOf(
  file: ComposeFile,
  service: Service,
  image: Image,
  placed: Placed,
  places: Places,
): Promise<ContainerPlan> {
  const user = service.user ?? image.user;
  const check = service.healthcheck ?? image.healthcheck;
  return {
    ...placed,
    folder: join(places.run, placed.name),
    hostname: service.hostname ?? placed.name,
    user: image.users[user] ?? Number(user),
    users: image.users,
    workingFolder: image.workingFolder,
    environment: { ...image.environment, ...service.environment },
    // An entry point of the service takes the command of the image away.
    commandLine: [
      ...(service.entrypoint ?? image.entrypoint),
      ...(service.command ?? (service.entrypoint ? [] : image.command)),
    ],
    mounts: [
      ...image.mounts,
      ...service.tmpfs.map((target): Mount => ({ kind: 'tmpfs', target })),
      ...service.secrets.map((name) => secretOf(file, name, places)),
      ...(await Promise.all(service.volumes.map((volume) => volumeOf(file, volume, image.volumeOwner, places)))),
    ],
    healthcheck: check?.disable ? undefined : check,
    stopSignal: image.stopSignal,
    stopGrace: service.stop_grace_period,
  };
}

/** The file itself, with the owner and the mode that it has. */
function secretOf({ secrets }: ComposeFile, name: string, { project }: Places): Mount {
  const secret = secrets[name];
  if (!secret) throw new Error(`there is no secret ${name}`);
  return { kind: 'ro', source: resolve(project, secret.file), target: `/run/secrets/${name}` };
}

/** A file of the project, or a volume, which at first is what the image has there: a folder of its user. */
async function volumeOf({ volumes }: ComposeFile, text: string, owner: number, places: Places): Promise<Mount> {
  const [source = '', target = '', mode = 'rw'] = text.split(':');
  if (source.startsWith('./')) {
    if (mode !== 'ro') throw new Error(`${text} lets a container change the project`);
    return { kind: 'ro', source: resolve(places.project, source), target };
  }
  if (!volumes[source]) throw new Error(`there is no volume ${source}`);
  const folder = join(places.run, 'volumes', source);
  if ((await mkdir(folder, { recursive: true })) !== undefined) await chown(folder, owner, owner);
  return { kind: 'rw', source: folder, target };
}
