// The archive of one platform: Keyfold with its Node in one folder that runs from anywhere.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { noticeOf } from './notices.mjs';
import { platformOf, root, sbomOf, sha256 } from './sbom.mjs';
import { name, stage, version } from './stage.mjs';

/** The pages and the files that they link to. */
const FILES = [...globSync('*.md', { cwd: root }), 'docs', 'deploy', 'libs/messaging/schemas'];
/** Files that git ignores, such as the secrets of a deployment and the packages of an example. */
const IGNORED = /\/(?:secrets|node_modules|dist|data|\.cache|\.env|[^/]+\.log)$/;
/** Settings of the machine could change the bytes. */
const GO_SETTINGS = 'CGO_ENABLED=0 GOOS=linux GOENV=off GOFLAGS= GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT=';
/** The SHA-256 of Node's binaries, because the lock file does not pin the packages that contain them. Change them with the package `node`. */
const NODE_BINARIES = {
  x64: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  arm64: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
};

/**
 * Writes the archive for a processor, as Node names it, and its bill of materials into a folder. The same sources and date give the same
 * bytes. Returns the path of the archive.
 * @param {boolean} isRelease whether the archive must contain keyfold-ssh. Otherwise it lacks it on a machine without Go.
 */
export function writeArchive(target, cpu, date, isRelease) {
  const title = `${name}-${version}-linux-${cpu}`;
  mkdirSync(target, { recursive: true });
  const temporary = mkdtempSync(join(target, 'staging-'));
  try {
    const folder = join(temporary, title);
    const node = addNode(folder, cpu);
    const go = addSshHelper(folder, cpu, isRelease);
    writeFileSync(join(target, `${title}.cdx.json`), sbomOf({ platform: platformOf(cpu), node, date, go }));
    rmSync(node, { recursive: true });
    addLauncher(folder, cpu);
    return pack(temporary, join(target, `${title}.tar.gz`), date);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Stages the files with a Node for the processor. Returns the folder of Node's npm package. */
function addNode(folder, cpu) {
  const node = `node-linux-${cpu}`;
  stage(folder, cpu, { [node]: process.versions.node });
  mkdirSync(join(folder, 'bin'));
  const binary = join(folder, 'bin/node');
  cpSync(join(folder, 'node_modules', node, 'bin/node'), binary);
  const found = sha256(binary);
  if (found !== NODE_BINARIES[cpu])
    throw new Error(
      `${node} ${process.versions.node} contains a binary with the SHA-256 ${found}, which ${import.meta.filename} does not name`,
    );
  return join(folder, 'node_modules', node);
}

/** Adds keyfold-ssh and the notice of Go. Returns the version of Go. */
export function addSshHelper(folder, cpu, isRelease) {
  try {
    const { version, licence } = buildSshHelper(folder, cpu);
    appendFileSync(join(folder, 'THIRD_PARTY_NOTICES'), `\n${noticeOf([`go@${version} (BSD-3-Clause)`], licence)}`);
    return version;
  } catch (error) {
    if (isRelease) throw new Error('cannot build keyfold-ssh. Install Go 1.21 or later', { cause: error });
    console.warn(`Warning: the archive lacks keyfold-ssh, which Go could not build: ${error.message}`);
  }
}

/** Builds keyfold-ssh with the Go that its Dockerfile names, which any other Go downloads. Returns the version and licence of Go. */
function buildSshHelper(folder, cpu) {
  const [, version] = /^FROM golang:([\d.]+)/m.exec(readFileSync(join(root, 'deploy/openssh/Dockerfile'), 'utf8'));
  const settings = `${GO_SETTINGS} GOARCH=${cpu === 'x64' ? 'amd64' : cpu} GOTOOLCHAIN=go${version} go`.split(' ');
  const options = { cwd: join(root, 'deploy/openssh/keyfold-ssh'), encoding: 'utf8' };
  const go = (...words) => execFileSync('env', [...settings, ...words], options).trim();
  go('build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', join(folder, 'keyfold-ssh'), '.');
  return { version, licence: readFileSync(join(go('env', 'GOROOT'), 'LICENSE'), 'utf8') };
}

function addLauncher(folder, cpu) {
  const launcher = readFileSync(join(import.meta.dirname, 'launcher.sh'), 'utf8').replaceAll('@CPU@', cpu);
  writeFileSync(join(folder, name), launcher);
  chmodSync(join(folder, name), 0o755);
  cpSync(join(root, 'deploy/image/keyfold.mjs'), join(folder, 'keyfold.mjs'));
  for (const file of FILES)
    cpSync(join(root, file), join(folder, file), { recursive: true, filter: (path) => !IGNORED.test(path) });
  // Also where the upgrade from 0.2.0, and the way back, copy it from.
  cpSync(join(root, 'deploy/systemd/keyfold.service'), join(folder, 'keyfold.service'));
}

/** Packs a folder so that equal files and dates give equal bytes. Only a whole archive gets the path, which is returned. */
export function pack(folder, path, date) {
  const part = `${folder}.part`;
  const entries = ['--sort=name', `--mtime=${date.toISOString()}`, '--mode=u=rwX,go=rX'];
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const output = ['--use-compress-program=gzip --no-name', `--file=${part}`];
  const words = ['--create', '--format=gnu', ...output, ...entries, ...owner, `--directory=${folder}`];
  execFileSync('tar', [...words, ...readdirSync(folder)], { stdio: 'inherit' });
  renameSync(part, path);
  return path;
}
