import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pinnedWheel } from '../checkers/pinned-wheel.js';

/** How a subscriber of `deploy/examples` is started. */
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

/** The examples that can run here: that in Go needs `go`. Says in one line when it is missing. */
export async function exampleNames(): Promise<string[]> {
  const names = ['typescript-amqplib', 'typescript-nest', 'python'];
  const hasGo = await run('go', ['version']).then(
    () => true,
    () => false,
  );
  if (hasGo) return [...names, 'go'];
  console.log('Examples: that in Go is not run, because there is no go on PATH');
  return names;
}

/** Checks and compiles what has to be, with the packages of this repository where it has them; fetches the rest once for this user. */
export async function exampleProgram(name: string): Promise<ExampleProgram> {
  const folder = join(EXAMPLES, name);
  switch (name) {
    case 'typescript-amqplib':
      await compile(folder);
      return { name, command: process.execPath, args: [join(folder, 'subscriber.ts')] };
    case 'typescript-nest':
      await compile(folder);
      return { name, command: process.execPath, args: [join(folder, 'dist/subscriber.js')] };
    case 'python': {
      const env = { PYTHONPATH: await pinnedWheel(join(folder, 'requirements.txt')) };
      return { name, command: 'python3', args: [join(folder, 'subscriber.py')], env };
    }
    case 'go':
      await mkdir(CACHE, { recursive: true });
      await run('go', ['build', '-o', join(CACHE, 'go-subscriber'), '.'], { cwd: folder });
      return { name, command: join(CACHE, 'go-subscriber'), args: [] };
    default:
      throw new Error(`there is no example ${name}`);
  }
}

async function compile(folder: string): Promise<void> {
  await run(process.execPath, [TSC, '-p', folder]).catch((error: { stdout?: string }) => {
    throw new Error(`${folder} does not compile: ${error.stdout}`, { cause: error });
  });
}
