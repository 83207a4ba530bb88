import type { OperatorOutput } from '@keyfold/operation';

// Whoever reads may have enough, as `head` has: then there is nobody to tell anything.
process.stdout.on('error', () => process.exit());

const write = (stream: NodeJS.WriteStream, line: string) =>
  new Promise<void>((written) => {
    if (stream.write(`${line}\n`)) written();
    else stream.once('drain', written);
  });

/** The standard output and the standard error of this process. */
export const terminal: OperatorOutput = {
  out: (line) => write(process.stdout, line),
  err: (line) => write(process.stderr, line),
};
