import { cp, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { builtHelper } from '../openssh/ssh-helper.js';
import { readStage, stagesOf } from './dockerfile.js';
import { SYSTEM_PATH, type Image, type Mount } from './images.js';
import { run } from './run-program.js';

const CONTEXT = resolve(import.meta.dirname, '../../../deploy/openssh');
const DOCKERFILE = join(CONTEXT, 'Dockerfile');

/**
 * Builds the image of the stage `sshd` of `deploy/openssh/Dockerfile`: its copies, its users, and the packages of this
 * machine in the place of those that it installs. `folder` receives the files.
 */
export async function sshdImage(folder: string): Promise<Image> {
  const stage = stagesOf(DOCKERFILE).find(([from]) => from?.rest.endsWith(' AS sshd'));
  if (!stage) throw new Error(`${DOCKERFILE} has no stage sshd`);
  const steps = stage.filter(({ name }) => name === 'RUN').flatMap(({ rest }) => rest.split(/\s*&&\s*/));
  const rest = stage.filter(({ name }) => name !== 'RUN');
  const { copies, ...description } = readStage(DOCKERFILE, rest);
  await builtHelper(folder);
  const mounts: Mount[] = [];
  for (const { stage: from, sources, target } of copies) {
    const [source = ''] = sources;
    const file = join(folder, 'content', target);
    await mkdir(dirname(file), { recursive: true });
    // Copies belong to root, as in an image.
    await cp(from === undefined ? join(CONTEXT, source) : join(folder, source), file);
    mounts.push({ kind: 'ro', source: file, target });
  }
  return {
    ...description,
    environment: { PATH: SYSTEM_PATH, ...description.environment },
    user: '0',
    workingFolder: '/',
    // Its package creates the user sshd.
    users: { sshd: 100, ...(await usersOf(steps)) },
    volumeOwner: 0,
    mounts,
  };
}

/** Returns the users that the steps create. Throws on a step that the runner does not implement, and without a package. */
async function usersOf(steps: readonly string[]): Promise<Record<string, number>> {
  const users: Record<string, number> = {};
  for (const step of steps) {
    const [program = '', ...words] = step.split(/\s+/);
    const names = words.filter((word) => !word.startsWith('-'));
    if (program === 'useradd') users[names.at(-1) ?? ''] = Number(words[words.indexOf('--uid') + 1]);
    else if (program === 'apt-get' && names[0] === 'install') await run('dpkg', '--status', ...names.slice(1));
    else if (step !== 'apt-get update' && program !== 'rm') throw new Error(`the runner does not implement ${step}`);
  }
  return users;
}
