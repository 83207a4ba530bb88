import { spawn } from 'node:child_process';
import { builtCommand, type CommandLine, type ProcessEnv } from './keyfold-process.js';
import { timesLength } from './test-length.js';

/** Milliseconds; commands take longer in long runs, with their more events. */
const TIMEOUT = timesLength(60_000);

/** The exit status and output of a command. */
export type CliResult = Readonly<{ status: number | null; out: string; err: string }>;

/** Runs the built command `keyfold` with only the search path of the caller's environment. */
export async function keyfold(env: ProcessEnv, ...args: readonly string[]): Promise<CliResult> {
  return keyfoldReading('', env, ...args);
}

/** Runs the command like `keyfold`, with `input` as a pipe on standard input. */
export async function keyfoldReading(input: string, env: ProcessEnv, ...args: readonly string[]): Promise<CliResult> {
  return runCommand([...builtCommand('cli'), ...args], env, input);
}

/** Runs any command line in the same way. */
export async function runCommand(command: CommandLine, env: ProcessEnv, input = ''): Promise<CliResult> {
  const { child, result } = startCommand(command, env);
  // A command that does not read its input may exit first.
  child.stdin.on('error', () => undefined).end(input);
  return result;
}

/** Starts the command. `seen` waits for a text on standard output or standard error. */
export const startKeyfold = (env: ProcessEnv, ...args: readonly string[]) =>
  startCommand([...builtCommand('cli'), ...args], env);

function startCommand([program, ...args]: CommandLine, env: ProcessEnv) {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    timeout: TIMEOUT,
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const result = new Promise<CliResult>((ended) => child.once('close', (status) => ended({ status, ...written })));
  const seen = (text: string) =>
    new Promise<void>((found, missing) => {
      const check = () => (written.out + written.err).includes(text) && found();
      for (const stream of [child.stdout, child.stderr]) stream.on('data', check);
      void result.then(() => missing(new Error(`the command ended without "${text}": ${written.out}${written.err}`)));
      check();
    });
  return { child, result, seen };
}
