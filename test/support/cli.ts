import { spawn } from 'node:child_process';
import { builtApp, type ProcessEnv } from './keyfold-process.js';

/** Milliseconds; in longer runs by hand a command may have much to do. */
const PATIENCE = Math.max(60_000, 5 * Number(process.env['KEYFOLD_FAULT_EVENTS'] ?? 0));

/** How a command ended, and what it wrote. */
export type CliResult = Readonly<{ status: number | null; out: string; err: string }>;

/** Runs the built command `keyfold` with nothing of the caller's environment but the search path. */
export async function keyfold(env: ProcessEnv, ...args: readonly string[]): Promise<CliResult> {
  return keyfoldReading('', env, ...args);
}

/** Like `keyfold` for a command that reads its standard input, which is a pipe with this text. */
export async function keyfoldReading(input: string, env: ProcessEnv, ...args: readonly string[]): Promise<CliResult> {
  const { child, result } = startKeyfold(env, ...args);
  // A command that reads nothing may be gone before.
  child.stdin.on('error', () => undefined).end(input);
  return result;
}

/** Starts the command; `seen` waits for a text on its standard output or standard error. */
export function startKeyfold(env: ProcessEnv, ...args: readonly string[]) {
  const child = spawn(process.execPath, [builtApp('cli'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: PATIENCE,
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const result = new Promise<CliResult>((ended) => child.once('close', (status) => ended({ status, ...written })));
  const seen = (text: string) =>
    new Promise<void>((found, missing) => {
      const look = () => (written.out + written.err).includes(text) && found();
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      void result.then(() => missing(new Error(`the command ended without "${text}": ${written.out}${written.err}`)));
      look();
    });
  return { child, result, seen };
}
