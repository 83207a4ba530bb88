import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { buildArchive } from '../support/built-archive.js';
import { foreignImages } from '../support/docker/stand-ins.js';
import { engineEnvironment } from './engine.js';
import { until } from './until.js';

const CONTAINER = 'keyfold-bare-debian';
const run = promisify(execFile);
const docker = async (...words: readonly string[]) =>
  (await run('docker', words, { env: { ...process.env, ...engineEnvironment } })).stdout.trim();

afterAll(() => docker('rm', '--force', CONTAINER));

it('the archive runs on a Debian without other packages, for an ordinary user', async () => {
  const archive = buildArchive();
  const unpackAndStart = `cd /tmp && tar -xzf /release/${basename(archive)} && mv keyfold-* keyfold && exec keyfold/keyfold start`;
  const debian = foreignImages.find((image) => image.startsWith('debian:'))!;
  const options = ['--user=1234:1234', '--env=KEYFOLD_HOST=0.0.0.0', `--volume=${dirname(archive)}:/release:ro`];
  await docker('run', '--detach', `--name=${CONTAINER}`, ...options, debian, 'sh', '-c', unpackAndStart);
  const address = await docker(
    'inspect',
    '--format={{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
    CONTAINER,
  );
  const api = new ApiClient(`http://${address}:5244`);
  await until(
    () =>
      api.get('/ping').then(
        () => true,
        () => false,
      ),
    'an answer of the service',
  );

  const [, password = ''] = /"password":"(\w+)"/.exec(await docker('logs', CONTAINER)) ?? [];
  (await api.logIn('admin', password)).data();
  expect(await docker('exec', CONTAINER, 'sh', '-c', 'cd /tmp && keyfold/keyfold account list')).toContain('admin');
  await docker('stop', CONTAINER);
  expect(await docker('inspect', '--format={{.State.ExitCode}}', CONTAINER)).toBe('0');
});
