import type { OperatorOutput } from '@keyfold/operator';
import { ProgressDisplay } from './progress-display.js';

// A reader such as `head` may close the pipe; the rest of the output is then not needed.
process.stdout.on('error', () => process.exit());

/** Characters that control a terminal: control characters except tab and newline, and those that change the text direction. */
const CONTROL_CHARACTERS = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes control characters, because users choose parts of the output. It uses JSON escapes, so that JSON stays valid. */
export const escapeControls = (line: string) =>
  line.replaceAll(CONTROL_CHARACTERS, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const progress = new ProgressDisplay(process.stderr);
process.on('exit', () => progress.clear());

const write = (stream: NodeJS.WriteStream, line: string) =>
  new Promise<void>((written) => {
    progress.clear();
    if (stream.write(`${escapeControls(line)}\n`)) written();
    else stream.once('drain', written);
  });

/** Writes to the standard output and standard error of this process. */
export const terminal: OperatorOutput = {
  out: (line) => write(process.stdout, line),
  err: (line) => write(process.stderr, line),
  progress: async (each) => progress.show(each),
};
