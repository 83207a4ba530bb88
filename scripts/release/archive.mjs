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
import { join } from 'node:path';
import { sbomOf } from './sbom.mjs';
import { name, platformOf, releaseFolder, root, stage, version } from './stage.mjs';

/** The files besides the staged ones, by their names in the archive. */
const FILES = { 'CHANGELOG.md': 'CHANGELOG.md', 'keyfold.service': 'deploy/systemd/keyfold.service' };

/**
 * Writes the archive for a processor, as Node names it, and its bill of materials. The same sources and date give the same bytes. Returns
 * the path of the archive.
 */
export function writeArchive(cpu, date) {
  const title = `${name}-${version}-linux-${cpu}`;
  mkdirSync(releaseFolder, { recursive: true });
  const temporary = mkdtempSync(join(releaseFolder, 'staging-'));
  try {
    const folder = join(temporary, title);
    const node = addNode(folder, cpu);
    writeFileSync(join(releaseFolder, `${title}.cdx.json`), sbomOf({ platform: platformOf(cpu), node, date }));
    rmSync(node, { recursive: true });
    addLauncher(folder, cpu);
    return pack(temporary, `${title}.tar.gz`, date);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Stages the files with a Node for the processor. Returns the folder of Node's npm package. */
function addNode(folder, cpu) {
  const node = `node-linux-${cpu}`;
  stage(folder, cpu, { [node]: process.versions.node });
  mkdirSync(join(folder, 'bin'));
  cpSync(join(folder, 'node_modules', node, 'bin/node'), join(folder, 'bin/node'));
  return join(folder, 'node_modules', node);
}

function addLauncher(folder, cpu) {
  const launcher = readFileSync(join(import.meta.dirname, 'launcher.sh'), 'utf8').replaceAll('@CPU@', cpu);
  writeFileSync(join(folder, name), launcher);
  chmodSync(join(folder, name), 0o755);
  for (const [to, from] of Object.entries(FILES)) cpSync(join(root, from), join(folder, to));
}

/** Packs all files of a folder so that equal files and dates give equal bytes. Returns the path of the archive, which is whole if it exists. */
export function pack(folder, file, date) {
  const path = join(releaseFolder, file);
  const entries = ['--sort=name', `--mtime=${date.toISOString()}`, '--mode=u=rwX,go=rX'];
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const output = ['--use-compress-program=gzip --no-name', `--file=${path}.part`];
  const words = ['--create', '--format=gnu', ...output, ...entries, ...owner, `--directory=${folder}`];
  execFileSync('tar', [...words, ...readdirSync(folder)], { stdio: 'inherit' });
  renameSync(`${path}.part`, path);
  return path;
}
