import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { installPinnedPackages } from '../checkers/pinned-packages.js';
import { needs } from '../needs.js';

await needs('Go 1.26');

/** How to start a subscriber of `deploy/examples`. */
export type ExampleProgram = Readonly<{
  name: string;
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}>;

export const EXAMPLES = resolve(import.meta.dirname, '../../../deploy/examples');
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keyfold', 'examples');
const TSC = resolve(EXAMPLES, '../../node_modules/typescript/bin/tsc');
const run = promisify(execFile);

/** The folders of the examples. */
export const exampleNames = ['typescript-amqplib', 'typescript-nest', 'python', 'go'] as const;

/** Checks and compiles an example with the packages of this repository. Downloads other packages once per user. */
export async function exampleProgram(name: (typeof exampleNames)[number]): Promise<ExampleProgram> {
  const folder = join(EXAMPLES, name);
  switch (name) {
    case 'typescript-amqplib':
      await compile(folder);
      return { name, command: process.execPath, args: [join(folder, 'subscriber.ts')] };
    case 'typescript-nest':
      await compile(folder);
      return { name, command: process.execPath, args: [join(folder, 'dist/subscriber.js')] };
    case 'python': {
      const env = { PYTHONPATH: await installPinnedPackages(join(folder, 'requirements.txt')) };
      return { name, command: 'python3', args: [join(folder, 'subscriber.py')], env };
    }
    case 'go':
      await mkdir(CACHE, { recursive: true });
      await run('go', ['build', '-o', join(CACHE, 'go-subscriber'), '.'], { cwd: folder });
      return { name, command: join(CACHE, 'go-subscriber'), args: [] };
  }
}

async function compile(folder: string): Promise<void> {
  await run(process.execPath, [TSC, '-p', folder]).catch((error: { stdout?: string }) => {
    throw new Error(`${folder} does not compile: ${error.stdout}`, { cause: error });
  });
}
