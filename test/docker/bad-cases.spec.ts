import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Deployment } from './deployment.js';

const PROJECT = 'keyfold-bad-cases';
const FRONT = '172.16.54';

let site: Deployment;
beforeAll(async () => {
  site = await Deployment.create(PROJECT, FRONT);
  await site.expectSuccess('sh', 'deploy/make-secrets.sh');
});
afterAll(() => site?.dispose());

const makeSecrets = (env: NodeJS.ProcessEnv = {}) => site.commandWith(env, 'sh', 'deploy/make-secrets.sh');

describe('make-secrets.sh', () => {
  /** Puts a program that answers like another `docker` before the real one. Returns the environment. */
  async function withDocker(script: string): Promise<NodeJS.ProcessEnv> {
    const folder = join(site.folder, 'bin');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${folder}:${site.path}` };
  }

  it.each([
    ['an engine that is too old', 'echo 24.0.7', 'Docker Engine 24.0.7 is too old. Install 25.0.0 or later.'],
    [
      'an engine that does not run',
      'echo "cannot connect" >&2; exit 1',
      'cannot reach the Docker engine: cannot connect',
    ],
    [
      'no Compose',
      '[ "$1" = version ] && echo 28.5.2',
      'Docker Compose not found. Install its plugin, 2.24.4 or later.',
    ],
    [
      'a Compose that is too old',
      '[ "$1" = version ] && echo 28.5.2 || echo v2.24.3',
      'Docker Compose v2.24.3 is too old.',
    ],
  ])('refuses %s', async (_, script, message) => {
    const { code, output } = await makeSecrets(await withDocker(script));
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`make-secrets: ${message}`) });
  });

  it.each(['echo 25.0.0', 'echo 28.5.2+dfsg4'])('accepts a version that says %s', async (script) => {
    const compose = '[ "$1" = version ] || { echo 2.24.4-1; exit; }';
    expect(await makeSecrets(await withDocker(`${compose}\n${script}`))).toMatchObject({ code: 0 });
  });

  it('adds settings that .env lacks, and keeps the others', async () => {
    const file = join(site.folder, '.env');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, 'KEYFOLD_GATEWAYS=7');
    await makeSecrets();
    expect(await readFile(file, 'utf8')).toMatch(/^KEYFOLD_GATEWAYS=7\n[^]*^KEYFOLD_TAG=\d{8}-\d{6}$/m);
    expect((await readFile(file, 'utf8')).match(/GATEWAYS/g)).toHaveLength(1);
    await writeFile(file, whole);
  });

  it('completes half-made secrets and changes nothing else', async () => {
    const secret = (name: string) => join(site.folder, 'deploy/secrets', name);
    await rm(secret('token-secret'));
    await rm(secret('sealing-key'));
    await writeFile(secret('sealing-key'), '');
    // The definitions contain its hash.
    await rm(secret('rabbitmq-operator-url'));
    const { output } = await makeSecrets();
    expect(output.match(/^created .*$/gm)).toEqual([
      'created deploy/secrets/token-secret',
      'created deploy/secrets/sealing-key',
      'created deploy/secrets/rabbitmq-operator-url',
      'created deploy/secrets/rabbitmq-definitions.json',
    ]);
  });
});

describe('docker compose up', () => {
  const up = () => site.compose('up', '--detach', '--no-build', '--no-deps', 'balancer');

  it('says which command creates the settings', async () => {
    await rm(join(site.folder, '.env'));
    const { code, output } = await up();
    expect([code, output]).toEqual([
      expect.toSatisfy((each) => each !== 0),
      expect.stringContaining('run "sh deploy/make-secrets.sh" first'),
    ]);
    await makeSecrets();
  });

  it('names a secret that is missing', async () => {
    await rm(join(site.folder, 'deploy/secrets/rabbitmq-definitions.json'));
    const { code, output } = await site.compose('up', '--detach', '--no-deps', 'rabbitmq');
    expect(code).not.toBe(0);
    expect(output).toContain('deploy/secrets/rabbitmq-definitions.json');
  });

  it('names a network that is taken', async () => {
    await site.expectSuccess('docker', 'compose', 'down');
    const taken = `${PROJECT}-taken`;
    // Removes the network of a killed run.
    const label = ['--label', `com.docker.compose.project=${PROJECT}`];
    await site.expectSuccess('docker', 'network', 'create', ...label, '--subnet', `${FRONT}.0/24`, taken);
    onTestFinished(async () => void (await site.command('docker', 'network', 'rm', taken)));
    expect(await up()).toEqual({
      code: expect.toSatisfy((code) => code !== 0),
      output: expect.stringMatching(/keyfold-bad-cases_front[^]*(overlaps|conflicts)/),
    });
  });

  it('names a subnet that is none', async () => {
    const { code, output } = await site.commandWith(
      { KEYFOLD_FRONT: '172.16' },
      'docker',
      'compose',
      'up',
      '--detach',
      'balancer',
    );
    expect(code).not.toBe(0);
    expect(output).toContain('invalid subnet');
  });

  it('names a port that is taken', async () => {
    const { port } = new URL(site.url);
    const server = createServer().listen(Number(port), '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { code, output } = await up();
    expect(code).not.toBe(0);
    expect(output).toMatch(new RegExp(`:${port}.*(address already in use|port is already allocated)`));
  });
});
