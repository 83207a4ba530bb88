import { afterAll } from 'vitest';
import { StandaloneProcess, type ProcessEnv } from './standalone-process.js';

/**
 * Starts the standalone app for all tests of a file and disposes of it after them. Call it at the top level of the
 * file.
 */
export async function sharedApp(env: ProcessEnv = {}): Promise<StandaloneProcess> {
  const app = await StandaloneProcess.start(env);
  afterAll(() => app.dispose());
  return app;
}
