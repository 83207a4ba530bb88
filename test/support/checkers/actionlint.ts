import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { needs } from '../needs.js';

await needs('actionlint');

/** Runs actionlint on a workflow of GitHub Actions and returns its output, which is empty if there is nothing to report. */
export async function lintWorkflow(path: string): Promise<string> {
  // Without the checkers of scripts, which not every machine has.
  const words = ['-no-color', '-shellcheck=', '-pyflakes=', path];
  // The exit status repeats what the output says.
  const result = await promisify(execFile)('actionlint', words).catch((error: Error & { stdout?: string }) => {
    if (!error.stdout) throw error;
    return { stdout: error.stdout };
  });
  return result.stdout;
}
