import { builtApp } from './keyfold-process.js';
import { StandaloneProcess, StartFailure, type ProcessEnv } from './standalone-process.js';

/** Starts the app (or another `entry` script) where it must not start, and answers how it ended and what it wrote. Throws when it starts. */
export async function failedStart(env: ProcessEnv, entry = builtApp('standalone')): Promise<StartFailure> {
  try {
    const started = await StandaloneProcess.start(env, entry);
    await started.dispose();
  } catch (error) {
    if (error instanceof StartFailure) return error;
    throw error;
  }
  throw new Error('the app started');
}
