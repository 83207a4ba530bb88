import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { openlistSettings } from '@keyfold/process';
import { SftpgoController } from '../../apps/gateway/src/file-servers/sftpgo.controller.js';
import { WEB_SERVER_TOKEN } from '../../apps/gateway/src/file-servers/server-token.guard.js';
import { foreignImages } from '../support/docker/stand-ins.js';
import {
  readEnvFile,
  SFTPGO_ENV,
  SFTPGO_FTP_ENV,
  SFTPGO_TRANSFERS_ENV,
  SFTPGO_WEBDAV_ENV,
} from '../support/sftpgo/sftpgo-settings.js';

const PROJECT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');
type ComposeFile = Readonly<{
  services: Record<
    string,
    {
      image?: string;
      restart?: string;
      healthcheck?: object;
      networks?: object;
      ports?: unknown;
      environment?: Record<string, string>;
      secrets?: string[];
      volumes?: string[];
      depends_on?: object;
    }
  >;
  networks?: Record<string, { internal?: boolean }>;
  secrets: Record<string, { file: string }>;
}>;
const compose = (path: string) => parse(read(path), { merge: true }) as ComposeFile;
const composeFiles = ['docker-compose.yml', 'deploy/openssh/compose.yml', 'deploy/openlist/compose.yml'].map(compose);
const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** Returns the references to images in a Dockerfile, without their digests. */
const basesOf = (path: string) =>
  [...read(path).matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base.replace(DIGEST, ''));

it('the image has the Node version of the project', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  expect(basesOf('deploy/Dockerfile')[0]).toBe(`node:${devDependencies['node']}-bookworm-slim`);
});

it('in containers the API is reachable from outside, and nowhere else unless set', () => {
  expect(read('deploy/Dockerfile')).toMatch(/^ENV KEYFOLD_HOST=0\.0\.0\.0$/m);
  expect(read('deploy/systemd/keyfold.service')).not.toContain('KEYFOLD_HOST');
});

it('keyfold-ssh is built with the Go version of its module and with the command of the guide', () => {
  const [, go] = /^go (\d+\.\d+)$/m.exec(read('deploy/openssh/keyfold-ssh/go.mod'))!;
  const bases = basesOf('deploy/openssh/Dockerfile');
  // Without a target, Docker builds the last stage, which contains nothing but the program.
  const exact = [/^golang:\d+\.\d+\.\d+-alpine$/, /^debian:\d+\.\d+-slim$/].map((form) => expect.stringMatching(form));
  expect(bases).toEqual([...exact, 'scratch']);
  expect(bases[0]).toContain(`golang:${go}.`);
  const command = "CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o";
  expect(read('deploy/openssh/Dockerfile')).toContain(command);
  expect(read('docs/connect/openssh.md')).toContain(command);
});

it('the configuration of SFTPGo names routes of the servers port, and sends the token to nobody else', () => {
  const env = new Map([...readEnvFile(SFTPGO_ENV), ...readEnvFile(SFTPGO_TRANSFERS_ENV)]);
  const urlOf = (name: string) => new URL(env.get(`SFTPGO_${name}`)!);
  const hooks = [
    'DATA_PROVIDER__EXTERNAL_AUTH_HOOK',
    'SFTPD__KEYBOARD_INTERACTIVE_AUTH_HOOK',
    'COMMON__ACTIONS__HOOK',
  ].map(urlOf);
  const methods = Object.values(Object.getOwnPropertyDescriptors(SftpgoController.prototype));
  const routes = methods.map(({ value }) => `/sftpgo/${Reflect.getMetadata('path', value as object)}`);
  expect(hooks.map(({ pathname }) => pathname).filter((path) => !routes.includes(path))).toEqual([]);
  const server = urlOf('HTTP__HEADERS__0__URL').href;
  expect(hooks.filter(({ href }) => !href.startsWith(server))).toEqual([]);
  expect(env.get('SFTPGO_HTTP__HEADERS__0__VALUE')).toMatch(/^Bearer kf_/);
  const script = read('deploy/sftpgo/keyfold-sftpgo-sessions');
  expect(routes).toContain(/"\$keyfold(\/[^"]+)"/.exec(script)?.[1]);
});

it('SFTPGo serves WebDAV and FTP within TLS only, with the certificate of the guide', () => {
  const [webdav, ftp] = [readEnvFile(SFTPGO_WEBDAV_ENV), readEnvFile(SFTPGO_FTP_ENV)];
  expect(webdav.get('SFTPGO_WEBDAVD__BINDINGS__0__ENABLE_HTTPS')).toBe('true');
  expect(ftp.get('SFTPGO_FTPD__BINDINGS__0__TLS_MODE')).toBe('1');
  const guide = read('docs/connect/sftpgo.md');
  for (const [name, path] of [...webdav, ...ftp].filter(([, value]) => value.startsWith('/')))
    expect(guide, name).toContain(`${name.endsWith('KEY_FILE') ? '-keyout' : '-out'} ${path}`);
  for (const port of ['WEBDAVD', 'FTPD'].map((server) => `SFTPGO_${server}__BINDINGS__0__PORT`))
    expect(guide).toContain(`localhost:${webdav.get(port) ?? ftp.get(port)}/`);
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
  const files = ['docs/connect/openssh.md', 'deploy/openssh/compose.yml'];
  for (const file of [...files, 'test/support/openssh/sshd.sh']) expect(read(file), file).toContain(command);
  for (const file of ['docs/connect/openssh.md', 'deploy/openssh/Dockerfile'])
    expect(read(file), file).toMatch(/useradd --uid 2901 .* keyfold-sftp$/m);
});

it('the users of ProFTPD are written by the same command in the guide and the test, to the file of its configuration', () => {
  const [file, folder] = ['/var/lib/keyfold-ftp/passwd', '/srv/ftp'];
  for (const path of ['docs/connect/pam.md', 'test/support/pam/proftpd.sh'])
    expect(read(path), path).toContain(`/usr/local/libexec/keyfold-ssh users ${file} ${folder} 2903 <`);
  expect(read('deploy/pam/proftpd.conf')).toContain(`\nAuthUserFile ${file}\n`);
  expect(read('deploy/pam/pam.conf')).toContain(`\nusers-file ${file}\nroot ${folder}\n`);
});

it('the configurations of all web servers name the route and its headers', () => {
  const guide = read('docs/connect/web-applications.md');
  const exampleOf = (server: string) =>
    new RegExp(`^## ${server}$.*?^\`\`\`\\w*\\n(.*?)^\`\`\``, 'ms').exec(guide)![1]!;
  const nginx = ['snippets/keyfold-server.conf', 'snippets/keyfold-login.conf', 'keyfold-token.conf'];
  const configurations = [
    nginx.map((name) => read(`deploy/nginx/${name}`)).join('\n'),
    exampleOf('Caddy'),
    exampleOf('Traefik'),
  ];
  for (const text of configurations)
    for (const part of ['/web-login?group=', WEB_SERVER_TOKEN.header, 'Authorization', 'Remote-User', 'Remote-Groups'])
      expect(text).toContain(part);
});

it('OpenList has the version of the wire contract, and only gateways and workers reach it and have its token', () => {
  const [, version] = /OpenList (v[\d.]+\d)/.exec(read('docs/reference/wire-contract.md'))!;
  const { services, networks } = compose('deploy/openlist/compose.yml');
  const { image = '', ports, networks: own } = services['openlist']!;
  expect(image.replace(DIGEST, '')).toBe(`openlistteam/openlist:${version}`);
  expect(ports).toBeUndefined();
  expect(own).toEqual(['openlist', 'storages']);
  expect(networks!['openlist']!.internal).toBe(true);
  const joined = composeFiles.flatMap((file) =>
    Object.entries(file.services).filter(([, { networks: all }]) =>
      JSON.stringify(all ?? []).match(/openlist|storages/),
    ),
  );
  expect(joined.map(([name]) => name)).toEqual(['openlist', 'gateway', 'worker']);
  for (const [, { environment, secrets }] of joined.slice(1)) {
    expect(secrets).toContain('openlist-token');
    const names = Object.keys(environment!).map((name) => name.replace(/_FILE$/, ''));
    expect(names).toEqual(expect.arrayContaining(Object.keys(openlistSettings)));
  }
});

// The folder of the image belongs to root, and OpenList ends at once if it cannot write there.
it('OpenList starts after its volume has been given to the user of its image, by a container without a network', () => {
  const { openlist, 'openlist-folder': folder } = compose('deploy/openlist/compose.yml').services;
  expect(folder).toMatchObject({ image: openlist!.image, volumes: openlist!.volumes, network_mode: 'none' });
  expect(folder).toMatchObject({ user: '0', entrypoint: ['chown', '-R', '1001:1001', '/opt/openlist/data'] });
  expect(openlist!.depends_on).toEqual({ 'openlist-folder': { condition: 'service_completed_successfully' } });
});

it('every image of another project has an exact version', () => {
  const images = composeFiles.flatMap(({ services }) => Object.values(services).flatMap(({ image }) => image ?? []));
  for (const image of images) expect(image).toMatch(/^keyfold(-sshd)?:\$\{KEYFOLD_TAG:|:v?\d+\.\d+\.\d+/);
});

it('the images of other projects are pinned everywhere or, before the first "npm run pin-images", nowhere', () => {
  const files = globSync(['docker-compose.yml', 'deploy/**/{Dockerfile,*compose*.yml}', '.github/**/*.yml'], {
    cwd: PROJECT,
  });
  const images = files.flatMap((file) =>
    [...read(file).matchAll(/^(?:FROM| +image:) (\S+)/gm)].map(([, image = '']) => image),
  );
  const official = images.filter((image) => !/^(?:keyfold|scratch$)/.test(image));
  expect(new Set(official.map((image) => image.replace(DIGEST, '')))).toEqual(new Set(foreignImages));
  expect(new Set(official).size).toBe(foreignImages.length);
  expect(new Set(official.map((image) => DIGEST.test(image))).size).toBe(1);
});

it('every lasting container has a health check, and that of the image allows an outage of five minutes', () => {
  const { services } = compose('docker-compose.yml');
  const lasting = Object.entries(services).filter(([, { restart }]) => restart !== 'no');
  const withoutCheck = lasting.filter(([, { image, healthcheck }]) => !healthcheck && !image!.startsWith('keyfold:'));
  expect(withoutCheck).toEqual([]);
  expect(read('deploy/Dockerfile')).toMatch(/^HEALTHCHECK --interval=10s .*--retries=30 /m);
});

it('git and the image exclude the secrets', () => {
  const secrets = composeFiles.flatMap((file) => Object.values(file.secrets));
  for (const { file } of secrets) expect(file).toMatch(/^\.\/deploy\/secrets\//);
  expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['deploy/secrets/', '.env']));
  const [first, ...exceptions] = read('.dockerignore')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(first).toBe('*');
  expect(exceptions.filter((line) => line.startsWith('!deploy'))).toEqual(['!deploy/image']);
});
