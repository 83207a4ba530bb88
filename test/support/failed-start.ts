import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { builtCommand, StartFailure, type ProcessEnv } from './keyfold-process.js';
import { ScaledProcess, type ScaledApp } from './scaled-process.js';
import { StandaloneProcess } from './standalone-process.js';

/** Starts the app (or another command), expects the start to fail and returns the failure. */
export const failedStart = (env: ProcessEnv, command = builtCommand('standalone')): Promise<StartFailure> =>
  failureOf(StandaloneProcess.start(env, command));

/** Does the same with an app on MongoDB. */
export async function failedScaledStart(
  app: ScaledApp,
  env: ProcessEnv,
  command = builtCommand(app),
): Promise<StartFailure> {
  const process = await ScaledProcess.create(app, app, env, command);
  onTestFinished(() => process.dispose());
  return failureOf(process.start());
}

async function failureOf(start: Promise<unknown>): Promise<StartFailure> {
  const outcome = await start.catch((error: unknown) => error);
  if (outcome instanceof StartFailure) return outcome;
  throw new Error('the app started, but should have failed', { cause: outcome });
}

/** Returns a port of 127.0.0.1 that another program uses until the end of the test. */
export async function usedPort(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  return String((other.address() as AddressInfo).port);
}
