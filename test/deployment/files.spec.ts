import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fileServerRoutes } from '../../apps/gateway/src/file-servers/file-server-routes.js';
import { composeDocument, readComposeFile } from '../support/compose/compose-file.js';
import { composeProblems } from '../support/compose/compose-schema.js';
import { instructionsOf, readDockerfile } from '../support/compose/dockerfile.js';
import { lintDockerfile } from '../support/compose/hadolint.js';
import { readEnvFile, SFTPGO_ENV, SFTPGO_TRANSFERS_ENV } from '../support/sftpgo/sftpgo-settings.js';

const PROJECT = resolve(import.meta.dirname, '../..');
const DOCKERFILE = join(PROJECT, 'deploy/Dockerfile');
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

it('the compose files match the schema of the Compose Specification', async () => {
  expect(await composeProblems(composeDocument(PROJECT))).toEqual([]);
  const withSshd = composeDocument(PROJECT, 'deploy/openssh/compose.yml');
  expect(await composeProblems(withSshd)).toEqual([]);
  expect(await composeProblems({ services: { one: { imagine: 'a mistake' } } })).not.toEqual([]);
});

it('hadolint accepts the Dockerfiles', async () => {
  expect(await lintDockerfile(DOCKERFILE)).toBe('');
  expect(await lintDockerfile(join(PROJECT, 'deploy/openssh/Dockerfile'))).toBe('');
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-dockerfile-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'Dockerfile'), 'FROM node\nRUN apt-get install curl\n');
  expect(await lintDockerfile(join(folder, 'Dockerfile'))).toContain('DL3006');
});

it('the image has the Node version of the project and runs as a numeric user other than root', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const bases = instructionsOf(read('deploy/Dockerfile'))
    .filter(({ name, rest }) => name === 'FROM' && rest.startsWith('node:'))
    .map(({ rest }) => rest.split(' ')[0]);
  expect(new Set(bases)).toEqual(new Set([`node:${devDependencies['node']}-slim`]));
  expect(readDockerfile(DOCKERFILE).user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

it('keyfold-ssh is built with the Go version of its module and with the command of the guide', () => {
  const [, go] = /^go (\d+\.\d+)$/m.exec(read('deploy/openssh/helper/go.mod'))!;
  const instructions = instructionsOf(read('deploy/openssh/Dockerfile'));
  const bases = instructions.filter(({ name }) => name === 'FROM').map(({ rest }) => rest.split(' ')[0]);
  // Without a target, Docker builds the last stage, which contains nothing but the program.
  const exact = [/^golang:\d+\.\d+\.\d+-alpine$/, /^debian:\d+\.\d+-slim$/].map((form) => expect.stringMatching(form));
  expect(bases).toEqual([...exact, 'scratch']);
  expect(bases[0]).toContain(`golang:${go}.`);
  const command = "CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o";
  expect(instructions.find(({ name }) => name === 'RUN')?.rest).toContain(command);
  expect(read('docs/file-servers.md')).toContain(command);
});

it('the configuration of SFTPGo names routes of the servers port, and sends the token to nobody else', () => {
  const env = new Map([...readEnvFile(SFTPGO_ENV), ...readEnvFile(SFTPGO_TRANSFERS_ENV)]);
  const urlOf = (name: string) => new URL(env.get(`SFTPGO_${name}`)!);
  const hooks = [
    'DATA_PROVIDER__EXTERNAL_AUTH_HOOK',
    'SFTPD__KEYBOARD_INTERACTIVE_AUTH_HOOK',
    'COMMON__ACTIONS__HOOK',
  ].map(urlOf);
  const routes = [...fileServerRoutes(...([] as unknown as Parameters<typeof fileServerRoutes>)).keys()];
  expect(hooks.map(({ pathname }) => pathname).filter((path) => !routes.includes(path))).toEqual([]);
  for (const { href } of hooks) expect(href.startsWith(urlOf('HTTP__HEADERS__0__URL').href)).toBe(true);
  expect(env.get('SFTPGO_HTTP__HEADERS__0__VALUE')).toMatch(/^Bearer kf_/);
  const script = read('deploy/sftpgo/keyfold-sftpgo-sessions');
  expect(routes).toContain(/"\$keyfold(\/[^"]+)"/.exec(script)?.[1]);
});

it('the sessions of SFTPGo are checked twice a minute', () => {
  const [timer, service] = ['timer', 'service'].map((kind) =>
    read(`deploy/sftpgo/systemd/keyfold-sftpgo-sessions.${kind}`),
  );
  expect(timer).toContain('OnUnitActiveSec=30\nAccuracySec=1\n');
  expect(service).toContain('ExecStart=/usr/local/libexec/keyfold-sftpgo-sessions\n');
});

it('the users of sshd are written by the same command in the guide, the compose file and the tests', () => {
  const command = 'keyfold-ssh users /var/lib/extrausers/passwd /srv/sftp 2901';
  const files = ['docs/file-servers.md', 'deploy/openssh/compose.yml', 'test/deployment/deployment.ts'];
  for (const file of [...files, 'test/support/openssh/sshd.sh']) expect(read(file), file).toContain(command);
  for (const file of ['docs/file-servers.md', 'deploy/openssh/Dockerfile'])
    expect(read(file), file).toMatch(/useradd --uid 2901 .* keyfold-sftp$/m);
});

it('every image has an exact version, and only the load balancer publishes a port, and sshd if it is added', () => {
  const published = (...further: string[]) => {
    const services = Object.entries(readComposeFile(PROJECT, ...further).services);
    for (const [, { image }] of services) expect(image).toMatch(/^keyfold(-sshd)?:local$|:\d+\.\d+\.\d+/);
    return services.flatMap(([name, { ports }]) => ports.map((port) => `${name} ${port}`));
  };
  expect(published()).toEqual(['balancer 5244:5244']);
  expect(published('deploy/openssh/compose.yml')).toEqual(['balancer 5244:5244', 'sshd 2222:2222']);
});

it('file servers reach the gateways through an inner network, which has nothing else', () => {
  const { services, networks } = readComposeFile(PROJECT, 'deploy/openssh/compose.yml');
  const members = Object.entries(services).filter(([, service]) => 'servers' in service.networks);
  expect(members.map(([name]) => name)).toEqual(['gateway', 'sshd']);
  expect(networks['servers']?.internal).toBe(true);
  expect(Object.keys(services['sshd']!.networks)).toEqual(['outside', 'servers']);
  const { KEYFOLD_SERVERS_PORT: port } = services['gateway']!.environment;
  expect(read('deploy/openssh/image/ssh.conf')).toContain(`address http://gateway:${port}\n`);
  for (const file of ['haproxy.cfg', 'tls.cfg']) expect(read(`deploy/haproxy/${file}`)).not.toContain(port!);
});

it('gateways trust only the load balancer', () => {
  const { gateway, balancer } = readComposeFile(PROJECT).services;
  expect(gateway?.environment['KEYFOLD_TRUSTED_PROXIES']).toBe(balancer?.networks['front']?.ipv4_address);
});

it('git and the image exclude the secrets', () => {
  const secrets = Object.values(readComposeFile(PROJECT, 'deploy/openssh/compose.yml').secrets);
  for (const { file } of secrets) expect(file).toMatch(/^\.\/deploy\/secrets\//);
  expect(read('.gitignore').split('\n')).toContain('deploy/secrets/');
  const [first, ...exceptions] = read('.dockerignore')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(first).toBe('*');
  expect(exceptions.filter((line) => line.startsWith('!deploy'))).toEqual(['!deploy/image']);
});
