import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { builtApp, type ProcessEnv } from './keyfold-process.js';

/** A program on a pseudo terminal. */
export interface Terminal {
  /** All that was shown, colours left out. */
  text(): string;
  /** Waits until a text was shown. Throws when the program ends before. */
  untilShown(text: string): Promise<void>;
  press(keys: string): void;
  /** The exit code of the program. */
  readonly ended: Promise<number | null>;
  /** Hangs up, which ends the program if it still runs. */
  close(): Promise<void>;
}

/** Runs a built app on a pseudo terminal; arguments are words for the shell. */
export const onTerminal = (env: ProcessEnv, app: 'cli' | 'standalone' = 'standalone', ...args: string[]): Terminal =>
  commandOnTerminal(env, `exec '${process.execPath}' '${builtApp(app)}' ${args.join(' ')}`);

/** Runs a command of the shell on a pseudo terminal, which `script` of util-linux provides. */
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
