import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programs, searchPath } from '../programs.js';

const execute = promisify(execFile);
const CONTAINERS = 'test/support/compose/compose-project.ts';

/** Runs a program of the machine and returns its output. Throws with what it printed to standard error. */
export async function run(program: string, ...parameters: readonly string[]): Promise<string> {
  try {
    const env = { ...process.env, PATH: searchPath };
    const { stdout } = await execute(program, parameters, { env, timeout: 60_000 });
    return stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${parameters.join(' ')}: ${stderr.trim() || message}`, { cause: error });
  }
}

/** Throws if this machine lacks something that running containers without Docker requires. */
export async function requirePrograms(): Promise<void> {
  const missing: string[] = [];
  for (const { name, usedBy, isInstalled } of programs)
    if (usedBy.includes(CONTAINERS) && !(await isInstalled())) missing.push(name);
  if (missing.length > 0)
    throw new Error(`cannot run docker-compose.yml without ${missing.join(', ')}: run "npm run test:setup"`);
}
