import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { dirname } from 'node:path';
import { dockerFolder, findMongod, hasEngine, programs, searchPath } from '../programs.js';
import { PrivateEngine } from './private-engine.js';
import { buildStandIns } from './stand-ins.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The environment that clients of the Docker engine need. */
    docker: Readonly<Record<string, string>>;
    /** Whether stand-ins replace the official images. */
    standIns: boolean;
    /** The reason why there is no engine. Files that need one are left out with it. */
    dockerMissing?: string;
  }
}

/** The build cache that stays for the next run. */
const CACHE = '4GB';

/** Uses the Docker engine that answers, or starts the one of `npm run test:setup`. A failure concerns only the tests that need one. */
export default async function setup(project: TestProject) {
  if (!(await programs['Docker Engine 25 with Compose 2.24.4'].isInstalled())) return undefined;
  return useEngine(project).catch(({ message }: Error) => project.provide('dockerMissing', message));
}

async function useEngine(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (hasEngine()) {
    // They may select another engine than the default one.
    const chosen = Object.entries(process.env).filter(([name]) => name.startsWith('DOCKER_'));
    project.provide('docker', Object.fromEntries(chosen) as Record<string, string>);
    project.provide('standIns', false);
    return undefined;
  }
  const engine = new PrivateEngine(dockerFolder);
  const env = { ...process.env, ...engine.environment, PATH: `${engine.environment.PATH}:${searchPath}` };
  const stop = await engine.start();
  try {
    buildStandIns(env, dirname(findMongod() ?? ''));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('docker', engine.environment);
  project.provide('standIns', true);
  return async () => {
    try {
      for (const words of [
        ['image', 'prune', '--force'],
        ['builder', 'prune', '--force', '--keep-storage', CACHE],
      ])
        execFileSync('docker', words, { env, stdio: 'ignore' });
    } finally {
      await stop();
    }
  };
}
