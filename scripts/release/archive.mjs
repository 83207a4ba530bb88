// The archive of one platform: Keyfold with its Node in one folder that runs from anywhere.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { platformOf, root, sbomOf, sha256 } from './sbom.mjs';
import { name, stage, version } from './stage.mjs';

/** The files besides the staged ones. */
const FILES = ['CHANGELOG.md', 'README.md', 'SECURITY.md', 'docs', 'deploy/systemd/keyfold.service'];
/** The SHA-256 of Node's binaries, because the lock file does not pin the packages that contain them. Change them with the package `node`. */
const NODE_BINARIES = {
  x64: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  arm64: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
};

/**
 * Writes the archive for a processor, as Node names it, and its bill of materials into a folder. The same sources and date give the same
 * bytes. Returns the path of the archive.
 */
export function writeArchive(target, cpu, date) {
  const title = `${name}-${version}-linux-${cpu}`;
  mkdirSync(target, { recursive: true });
  const temporary = mkdtempSync(join(target, 'staging-'));
  try {
    const folder = join(temporary, title);
    const node = addNode(folder, cpu);
    writeFileSync(join(target, `${title}.cdx.json`), sbomOf({ platform: platformOf(cpu), node, date }));
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

function addLauncher(folder, cpu) {
  const launcher = readFileSync(join(import.meta.dirname, 'launcher.sh'), 'utf8').replaceAll('@CPU@', cpu);
  writeFileSync(join(folder, name), launcher);
  chmodSync(join(folder, name), 0o755);
  cpSync(join(root, 'deploy/image/keyfold.mjs'), join(folder, 'keyfold.mjs'));
  for (const file of FILES) cpSync(join(root, file), join(folder, basename(file)), { recursive: true });
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
