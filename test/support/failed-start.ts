import { builtApp } from './keyfold-process.js';
import { StandaloneProcess, StartFailure, type ProcessEnv } from './standalone-process.js';

/**
 * Starts the app (or another `entry` script), expects the start to fail and returns the failure. Throws if the app
 * starts.
 */
export async function failedStart(env: ProcessEnv, entry = builtApp('standalone')): Promise<StartFailure> {
  try {
    const started = await StandaloneProcess.start(env, entry);
    await started.dispose();
  } catch (error) {
    if (error instanceof StartFailure) return error;
    throw error;
  }
  throw new Error('the app started, but should have failed');
}
