import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { builtApp, type ProcessEnv } from './keyfold-process.js';
import { needs } from './needs.js';

await needs('script');

/** A program on a pseudo-terminal. */
export interface Terminal {
  /** Everything that was shown, without colours. */
  text(): string;
  /** Waits until a text appears. Throws if the program ends first. */
  untilShown(text: string): Promise<void>;
  press(keys: string): void;
  /** The exit code of the program. */
  readonly ended: Promise<number | null>;
  /** Hangs up, which ends a running program. */
  close(): Promise<void>;
}

/** Runs a built app on a pseudo-terminal; the shell parses the arguments. */
export const onTerminal = (env: ProcessEnv, app: 'cli' | 'standalone' = 'standalone', ...args: string[]): Terminal =>
  commandOnTerminal(env, `exec '${process.execPath}' '${builtApp(app)}' ${args.join(' ')}`);

/** Runs a shell command on a pseudo-terminal. Requires `script` of util-linux. */
export function commandOnTerminal(env: ProcessEnv, command: string): Terminal {
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { PATH: process.env['PATH'], ...env } });
  let shown = '';
  const hear = (text: string) => (shown += text);
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const ended = new Promise<number | null>((end, fail) => {
    child.once('close', end);
    child.once('error', (cause) => fail(new Error('script is missing: install util-linux', { cause })));
  });
  const text = () => stripVTControlCharacters(shown);
  return {
    text,
    ended,
    press: (keys) => void child.stdin.write(keys),
    async untilShown(part) {
      let over = false;
      void ended.finally(() => (over = true));
      while (!text().includes(part)) {
        if (over) throw new Error(`ended before "${part}" was shown:\n${text()}`);
        await new Promise((later) => setTimeout(later, 25));
      }
    },
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
