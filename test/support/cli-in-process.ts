import { vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/command-line.js';
import type { CliResult } from './cli.js';
import type { ProcessEnv } from './keyfold-process.js';

/** Runs the command `keyfold` in this process, to save the start of another. Only `env` contains settings. */
export async function keyfoldHere(env: ProcessEnv, ...args: readonly string[]): Promise<CliResult> {
  const foreign = Object.keys(process.env).filter((name) => name.startsWith('KEYFOLD_'));
  for (const name of foreign) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const written = { out: '', err: '' };
  const kept = (stream: NodeJS.WriteStream, name: 'out' | 'err') =>
    vi.spyOn(stream, 'write').mockImplementation((text: string | Uint8Array, encoding?: unknown, done?: unknown) => {
      written[name] += String(text);
      const flushed = [encoding, done].find((each) => typeof each === 'function');
      flushed?.();
      return true;
    });
  const spies = [kept(process.stdout, 'out'), kept(process.stderr, 'err')];
  try {
    return { status: await runCommandLine(args), ...written };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
    vi.unstubAllEnvs();
  }
}
