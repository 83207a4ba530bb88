import { printable } from '@keyfold/operator';
import { INTERRUPTED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { terminal } from './terminal.js';

/** A text that the operator gives, or the reason why there is none. */
export type TextInput = Readonly<{ text: string } | { problem: string }>;

/** Maximum size of a password, a value or a file of settings. All saved settings together have less than a tenth of it. */
const MAX_BYTES = 1_048_576;

export const isTyped = (file: string | undefined): boolean => file === undefined && process.stdin.isTTY;

/**
 * Reads a password from the file, without its trailing newline. Without a file it asks twice on a terminal, without echo, or reads the
 * first line of standard input. An interruption ends the process.
 */
export const readPassword = (username: string, file: string | undefined, signal: AbortSignal): Promise<TextInput> =>
  exitingOn(signal, async () => {
    if (file !== undefined) return withoutNewline(await readAll(file));
    if (!isTyped(file)) return { text: await firstLine() };
    return typedTwice(`New password for ${printable(username)}`, 'password');
  });

/**
 * Reads the value of a setting from the file or from standard input, without its trailing newline. On a terminal it asks twice, without
 * echo. An interruption ends the process.
 */
export const readValue = (key: string, file: string | undefined, signal: AbortSignal): Promise<TextInput> =>
  exitingOn(signal, async () => {
    if (isTyped(file)) return typedTwice(`New value of ${printable(key)}`, 'value');
    return withoutNewline(await readAll(file));
  });

/** Reads a whole file, or standard input. An interruption ends the process. */
export const readText = (file: string | undefined, signal: AbortSignal): Promise<TextInput> =>
  exitingOn(signal, () => readAll(file));

export async function refuseInput(problem: string): Promise<ExitCode> {
  await terminal.err(`keyfold: ${problem}. Nothing was changed`);
  return WRONG_USAGE;
}

/** Runs a part of a command that changes nothing. An interruption ends the process at once. */
export async function exitingOn<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  const exit = () => process.exit(INTERRUPTED);
  signal.addEventListener('abort', exit);
  try {
    return await run();
  } finally {
    signal.removeEventListener('abort', exit);
  }
}

const withoutNewline = (input: TextInput): TextInput =>
  'text' in input ? { text: input.text.replace(/\r?\n$/, '') } : input;

async function readAll(file: string | undefined): Promise<TextInput> {
  const name = file ?? 'standard input';
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of file === undefined ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BYTES) return { problem: `${printable(name)} has more than ${MAX_BYTES} bytes` };
    }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: `${printable(name)} is not UTF-8` };
    return { problem: `cannot read ${printable(name)}: ${(error as NodeJS.ErrnoException).code}` };
  }
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1)[0]!.replace(/^\uFEFF|\r$/g, '');
}

async function typedTwice(prompt: string, noun: string): Promise<TextInput> {
  // The line editor would echo the text to its output.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const keyboard = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // The line editor consumes Ctrl-C.
  keyboard.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = keyboard[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    process.stderr.write(`${question}: `);
    const line = await lines.next();
    process.stderr.write('\n');
    return line.done ? undefined : line.value;
  };
  try {
    const text = await ask(prompt);
    const again = text === undefined ? undefined : await ask(`Repeat the ${noun}`);
    if (text === undefined || again === undefined) return { problem: `no ${noun} was entered` };
    return text === again ? { text } : { problem: `the two ${noun}s differ` };
  } finally {
    keyboard.close();
  }
}
