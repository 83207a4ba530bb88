import { INTERRUPTED } from '@keyfold/process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { escapeControls } from './terminal.js';

/** A password, or the reason why there is none. */
export type PasswordInput = Readonly<{ password: string } | { problem: string }>;

/** Returns whether the password is typed at the terminal. */
export const isTyped = (file: string | undefined): boolean => file === undefined && process.stdin.isTTY;

/**
 * Reads a password from the file, without its trailing newline. Without a file it asks twice on a terminal, without echo, or reads the
 * first line of standard input. An interruption ends the process.
 */
export async function readPassword(
  username: string,
  file: string | undefined,
  signal: AbortSignal,
): Promise<PasswordInput> {
  // Nothing else has started yet.
  const exit = () => process.exit(INTERRUPTED);
  signal.addEventListener('abort', exit);
  try {
    if (file !== undefined) return await contentOf(file);
    return isTyped(file) ? await typedTwice(username) : { password: await firstLine() };
  } finally {
    signal.removeEventListener('abort', exit);
  }
}

async function contentOf(file: string): Promise<PasswordInput> {
  try {
    return { password: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: `cannot read ${file}: ${(error as NodeJS.ErrnoException).code}` };
  }
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1)[0]!.replace(/\r$/, '');
}

async function typedTwice(username: string): Promise<PasswordInput> {
  // The line editor would echo the password to its output.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const keyboard = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // The line editor consumes Ctrl-C.
  keyboard.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = keyboard[Symbol.asyncIterator]();
  const ask = async (prompt: string) => {
    process.stderr.write(escapeControls(prompt));
    const line = await lines.next();
    process.stderr.write('\n');
    return line.done ? undefined : line.value;
  };
  try {
    const password = await ask(`New password for ${username}: `);
    const again = password === undefined ? undefined : await ask('Repeat the password: ');
    if (password === undefined || again === undefined) return { problem: 'no password was entered' };
    return password === again ? { password } : { problem: 'the two passwords differ' };
  } finally {
    keyboard.close();
  }
}
