import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CliResult } from './cli.js';
import type { ProcessEnv } from './keyfold-process.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = [
  '.npmrc',
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'apps',
  'libs',
  'scripts',
];

/**
 * Creates a fresh clone after `npm ci`: a copy of the sources without a build, which a test may change. Deletes it
 * after the test.
 */
export async function freshCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-checkout-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await Promise.all(FILES.map((file) => cp(join(ROOT, file), join(folder, file), { recursive: true })));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs a command in a checkout with only the search path of the caller's environment. */
export function runIn(checkout: string, command: string, args: readonly string[], env: ProcessEnv = {}) {
  const environment = { PATH: process.env['PATH'], npm_config_cache: join(checkout, '.npm'), ...env };
  const child = spawn(command, args, { cwd: checkout, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  // Cleans up even if the test run ends early.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
  const result = new Promise<CliResult>((ended, failed) => {
    child.once('error', failed);
    child.once('close', (status) => ended({ status, ...written }));
  });
  return { child, written, result };
}
