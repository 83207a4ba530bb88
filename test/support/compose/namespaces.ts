import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { run } from './run-program.js';

/** Prefix of the files and network namespaces of a run; the id of its process follows. */
const PREFIX = 'keyfold-compose-';

/** Unique to this process, and short because the kernel limits the length of some names. */
export const runName = `${PREFIX}${process.pid}`;

/** On the same file system as the packages, because images hard-link them. */
const RUNS = resolve(import.meta.dirname, '../../../node_modules/.cache/compose');
/** The folder for the files of this run. */
export const runFolder = join(RUNS, runName);

/** Creates a network namespace and returns its full name. */
export async function makeNamespace(name: string): Promise<string> {
  const whole = `${runName}-${name}`;
  await run('ip', 'netns', 'add', whole);
  await run('ip', '-n', whole, 'link', 'set', 'lo', 'up');
  return whole;
}

/** Kills the processes in a namespace and deletes it. */
export async function removeNamespace(whole: string): Promise<void> {
  const pids = (await run('ip', 'netns', 'pids', whole)).split('\n').filter(Boolean);
  for (const pid of pids) kill(Number(pid));
  await run('ip', 'netns', 'del', whole);
}

/** Removes what killed runs left behind. */
export async function removeLeftovers(): Promise<void> {
  for (const { name = '' } of JSON.parse((await run('ip', '-json', 'netns', 'list')) || '[]') as { name?: string }[]) {
    if (isAbandoned(name)) await removeNamespace(name);
  }
  await mkdir(RUNS, { recursive: true });
  for (const name of await readdir(RUNS)) {
    if (isAbandoned(name)) await rm(join(RUNS, name), { recursive: true, force: true });
  }
}

function isAbandoned(name: string): boolean {
  const [, owner] = new RegExp(`^${PREFIX}(\\d+)(?:-|$)`).exec(name) ?? [];
  return owner !== undefined && !isAlive(Number(owner));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
