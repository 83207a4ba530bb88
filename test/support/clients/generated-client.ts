import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD } from '../accounts.js';
import { newKeyLine } from '../key-line.js';
import { patternOf, tourAnswers } from '../tour.js';

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, '../../..');
const execute = promisify(execFile);

/** Returns a temporary folder with a copy of an example of `deploy/examples` and the `openapi.json` of a service. */
export async function exampleFolder(example: string, baseUrl: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(ROOT, 'deploy/examples', example), folder, { recursive: true });
  const document = await fetch(`${baseUrl}/openapi.json`);
  await writeFile(join(folder, 'openapi.json'), await document.text());
  return folder;
}

/** Runs a program and returns its output. Throws what it wrote if it fails. */
export async function run(program: string, args: readonly string[], cwd: string, env = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env } };
  const { stdout } = await execute(program, args, options).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${program} ${args.join(' ')}: ${error.stdout}${error.stderr}`, { cause: error });
  });
  return stdout;
}

/** The arguments of a tour: address, admin password and public key. */
export const tourArguments = (baseUrl: string) => [baseUrl, ADMIN_PASSWORD, newKeyLine().line];

/** Expects the answers that the tour prints, without the fingerprint that `ssh-keygen` prints there. */
export function expectTour(output: string): void {
  const answers = tourAnswers.join('').replace(/^256 SHA256:.*\n/m, '');
  expect(output).toMatch(patternOf(answers));
}
