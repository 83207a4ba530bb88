import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failedStart } from '../support/failed-start.js';
import { ScaledProcess, type ScaledApp } from '../support/scaled-process.js';
import { StartFailure, type ProcessEnv } from '../support/keyfold-process.js';

/** Starts an app, expects the start to fail and returns the failure. Throws if the app starts. */
async function failedScaledStart(app: ScaledApp, env: ProcessEnv): Promise<StartFailure> {
  const process = await ScaledProcess.create(app, app, env);
  onTestFinished(() => process.dispose());
  const failure: unknown = await process.start().catch((error: unknown) => error);
  if (failure instanceof StartFailure) return failure;
  throw new Error('the app started, but should have failed', { cause: failure });
}

const settingsIn = (output: string) =>
  [...output.matchAll(/^- (\w+)/gm)].map(([, name]) => name ?? '').toSorted((a, b) => a.localeCompare(b));

describe('a process on MongoDB', () => {
  it.each([
    ['gateway', ['KEYFOLD_MONGODB_URI', 'KEYFOLD_SEALING_KEY', 'KEYFOLD_TOKEN_SECRET']],
    ['standalone', ['KEYFOLD_MONGODB_URI', 'KEYFOLD_SEALING_KEY', 'KEYFOLD_TOKEN_SECRET']],
    ['worker', ['KEYFOLD_MONGODB_URI']],
  ] as const)('that is a %s reports every missing setting and exits with 78', async (app, names) => {
    const { exitCode, output } = await failedScaledStart(app, {});
    expect(exitCode).toBe(78);
    expect(settingsIn(output)).toEqual(names);
    if (app !== 'worker') expect(output).toContain('openssl rand -base64 48');
  });

  it('refuses an invalid address without logging its password', async () => {
    const KEYFOLD_MONGODB_URI = 'mongodb://keyfold:s3cret/more@localhost:27017/keyfold';
    const { exitCode, output } = await failedScaledStart('worker', { KEYFOLD_MONGODB_URI });
    expect(exitCode).toBe(78);
    expect(settingsIn(output)).toEqual(['KEYFOLD_MONGODB_URI']);
    expect(output).not.toContain('s3cret');
  });
});

it('a management port that another program uses is reported with its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { exitCode, output } = await failedStart({ KEYFOLD_MANAGEMENT_PORT: String(port) });
  expect(exitCode).toBe(1);
  expect(output).toContain('KEYFOLD_MANAGEMENT_PORT');
  expect(output.trim().split('\n')).toHaveLength(1);
});
