import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { needs } from '../needs.js';

await needs('Python with pip');

const run = promisify(execFile);
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keyfold', 'checkers');

/**
 * Installs the packages of a requirements file, which pins versions and hashes, and returns their folder. Downloads them
 * with pip once per user. Rejects with a one-line error if the installation fails.
 */
export async function installPinnedPackages(requirements: string): Promise<string> {
  const wanted = createHash('sha256').update(await readFile(requirements));
  const name = `${basename(requirements, '.txt')}-${wanted.digest('hex').slice(0, 12)}`;
  const target = join(CACHE, name);
  if (await exists(target)) return target;
  await mkdir(CACHE, { recursive: true });
  // Another run may download at the same time. Each uses its own folder, and the rename is atomic.
  const fetching = await mkdtemp(join(CACHE, 'fetching-'));
  try {
    const install = ['install', '--quiet', '--no-deps', '--only-binary=:all:', '--no-compile', '--target', fetching];
    await run('python3', ['-m', 'pip', ...install, '--require-hashes', '--requirement', requirements]);
    await rename(fetching, target).catch(async (error: unknown) => {
      if (!(await exists(target))) throw error;
    });
    return target;
  } catch (error) {
    const hint = 'Check that python3, pip and a package index are available.';
    throw new Error(`cannot install ${name}: ${lastLine(error)}. ${hint}`, { cause: error });
  } finally {
    await rm(fetching, { recursive: true, force: true });
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns the last line of the program's output, or the message of the error if it has none. Removes the final full stop. */
function lastLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  return (stderr.trim().split('\n').at(-1) || message).replace(/\.$/, '');
}
