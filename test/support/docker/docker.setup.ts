import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { dirname } from 'node:path';
import { dockerFolder, findMongod, hasEngine, searchPath } from '../programs.js';
import { PrivateEngine } from './private-engine.js';
import { buildStandIns } from './stand-ins.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The environment that clients of the Docker engine need. */
    docker: Readonly<Record<string, string>>;
    /** Whether stand-ins replace the official images. */
    standIns: boolean;
  }
}

/** The build cache that stays for the next run. */
const CACHE = '4GB';

/** Uses the Docker engine that answers, or starts the one of `npm run test:setup`. */
export default async function setup(project: TestProject) {
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
