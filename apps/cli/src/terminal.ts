import type { OperatorOutput } from '@keyfold/operator';
import { ProgressDisplay } from './progress-display.js';

// Whoever reads may have enough, as `head` has: then there is nobody to tell anything.
process.stdout.on('error', () => process.exit());

/** What a terminal would obey: control characters but tab and newline, and those that turn the direction of writing. */
const OBEYED = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Users choose parts of what is written; the escapes are those of JSON, which stays what it is. */
export const harmless = (line: string) =>
  line.replaceAll(OBEYED, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const progress = new ProgressDisplay(process.stderr);
process.on('exit', () => progress.clear());

const write = (stream: NodeJS.WriteStream, line: string) =>
  new Promise<void>((written) => {
    progress.clear();
    if (stream.write(`${harmless(line)}\n`)) written();
    else stream.once('drain', written);
  });

/** The standard output and the standard error of this process. */
export const terminal: OperatorOutput = {
  out: (line) => write(process.stdout, line),
  err: (line) => write(process.stderr, line),
  progress: async (each) => progress.show(each),
};
