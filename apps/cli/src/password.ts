import { INTERRUPTED } from '@keyfold/process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { harmless } from './terminal.js';

/** A password that somebody gave, or why there is none. */
export type GivenPassword = Readonly<{ password: string } | { problem: string }>;

/** Whether somebody is asked for the password at the terminal. */
export const isTyped = (file: string | undefined): boolean => file === undefined && process.stdin.isTTY;

/**
 * Reads a password where nobody else sees it, unlike an argument: the file without its last line break; else, on a terminal, what is
 * typed twice and not shown; else the first line of the standard input. An interrupted one ends the process.
 */
export async function readPassword(
  username: string,
  file: string | undefined,
  signal: AbortSignal,
): Promise<GivenPassword> {
  // Nothing else has begun by then.
  const giveUp = () => process.exit(INTERRUPTED);
  signal.addEventListener('abort', giveUp);
  try {
    if (file !== undefined) return await contentOf(file);
    return isTyped(file) ? await typedTwice(username) : { password: await firstLine() };
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function contentOf(file: string): Promise<GivenPassword> {
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

async function typedTwice(username: string): Promise<GivenPassword> {
  // It edits what is typed and would show it on its output.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const keyboard = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // Ctrl-C is a key to it.
  keyboard.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = keyboard[Symbol.asyncIterator]();
  const ask = async (prompt: string) => {
    process.stderr.write(harmless(prompt));
    const line = await lines.next();
    process.stderr.write('\n');
    return line.done ? undefined : line.value;
  };
  try {
    const password = await ask(`New password of ${username}: `);
    const again = password === undefined ? undefined : await ask('The same once more: ');
    if (password === undefined || again === undefined) return { problem: 'no password was given' };
    return password === again ? { password } : { problem: 'the two passwords differ' };
  } finally {
    keyboard.close();
  }
}
