// The test scripts load this file as it stands, so it imports no other file of the project.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '../../..');
/** The files that name images of other projects. */
export const imageFiles: readonly string[] = [
  'docker-compose.yml',
  'deploy/Dockerfile',
  'deploy/openlist/compose.yml',
  'deploy/openssh/Dockerfile',
  '.github/workflows/ci.yml',
];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** The references to images of other projects, such as `mongo:8.0.20`. */
export const foreignImages: readonly string[] = [
  ...new Set(
    imageFiles.flatMap((file) =>
      [
        ...readFileSync(join(PROJECT, file), 'utf8').matchAll(/^(?:FROM| +image:) ([a-z]+(?:\/[a-z]+)?:v?\d[\w.-]+)/gm),
      ].map(([, reference = '']) => reference),
    ),
  ),
];

/** Those of Docker's official images. Each has a stand-in. */
const officialImages = foreignImages.filter((reference) => !reference.includes('/'));

/** Removes the digests of these images from a copy of the checkout, because stand-ins have other ones. */
export function removeDigests(checkout: string): void {
  // An earlier version lacks some of them.
  for (const path of imageFiles.map((file) => join(checkout, file)).filter((file) => existsSync(file))) {
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(
        /^((?:FROM| +image:) [a-z]+(?:\/[a-z]+)?:v?\d[\w.-]+)@sha256:[0-9a-f]{64}/gm,
        '$1',
      ),
    );
  }
}

/** Builds a stand-in for each official image under its name. Takes a second if nothing changed. */
export function buildStandIns(environment: NodeJS.ProcessEnv, mongodFolder: string): void {
  const machine = mkdtempSync(join(tmpdir(), 'keyfold-machine-'));
  try {
    cpSync(CERTIFICATES, join(machine, 'ca-certificates.crt'), { dereference: true });
    const goRoot = execFileSync('go', ['env', 'GOROOT'], { env: environment, encoding: 'utf8' }).trim();
    const npm = dirname(dirname(process.env['npm_execpath'] ?? '/usr/lib/node_modules/npm/bin/npm-cli.js'));
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'node_modules/mongodb/package.json'), 'utf8')) as {
      version: string;
    };
    const contexts = { machine, npm, go: goRoot, mongod: mongodFolder, 'node-binary': dirname(process.execPath) };
    const options = [
      ...Object.entries(contexts).flatMap(([name, folder]) => ['--build-context', `${name}=${folder}`]),
      '--build-arg',
      `MONGODB=${version}`,
      '--quiet',
    ];
    for (const reference of officialImages) {
      const [target = ''] = reference.split(':');
      execFileSync(
        'docker',
        ['buildx', 'build', '--target', target, '--tag', reference, ...options, join(import.meta.dirname, 'stand-ins')],
        { env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
      );
    }
  } finally {
    rmSync(machine, { recursive: true });
  }
}
