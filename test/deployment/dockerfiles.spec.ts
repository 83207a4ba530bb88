import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lintDockerfile } from '../support/checkers/hadolint.js';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');

it('hadolint accepts the Dockerfiles', async () => {
  expect(await lintDockerfile(join(DEPLOY, 'Dockerfile'))).toBe('');
  expect(await lintDockerfile(join(DEPLOY, 'openssh/Dockerfile'))).toBe('');
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-dockerfile-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'Dockerfile'), 'FROM node\nRUN apt-get install curl\n');
  expect(await lintDockerfile(join(folder, 'Dockerfile'))).toContain('DL3006');
});
