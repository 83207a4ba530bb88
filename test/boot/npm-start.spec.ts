import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lastingPort } from '../support/lasting-port.js';

const isUp = (url: string) => fetch(url).then(Boolean, () => false);

it('npm start forwards SIGTERM to the service and ends with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-'));
  const port = await lastingPort();
  const env = {
    PATH: process.env['PATH'],
    KEYFOLD_HOST: '127.0.0.1',
    KEYFOLD_PORT: String(port),
    KEYFOLD_MANAGEMENT_PORT: '0',
    KEYFOLD_DATA_DIR: folder,
  };
  const npm = spawn('npm', ['start'], {
    cwd: resolve(import.meta.dirname, '../..'),
    env,
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(async () => {
    try {
      process.kill(-npm.pid!, 'SIGKILL');
    } catch {
      // All processes have stopped cleanly.
    }
    await rm(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}/ping`;
  await expect.poll(() => isUp(url), { timeout: 30_000 }).toBe(true);
  const ended = new Promise((end) => npm.once('exit', end));
  npm.kill('SIGTERM');
  await ended;
  await expect.poll(() => isUp(url), { timeout: 15_000 }).toBe(false);
});
