// The archive of one platform: Keyfold with its Node in one folder that runs from anywhere.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { name, root, stage, version } from './stage.mjs';

export const releaseFolder = join(root, 'dist/release');

/** Writes the archive for a processor, as Node names it. The same sources and date (in unix seconds) give the same bytes. */
export function writeArchive(cpu, date) {
  const title = `${name}-${version}-linux-${cpu}`;
  mkdirSync(releaseFolder, { recursive: true });
  const temporary = mkdtempSync(join(releaseFolder, 'staging-'));
  try {
    fill(join(temporary, title), cpu);
    const file = join(releaseFolder, `${title}.tar.gz`);
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
    const words = ['--create', '--format=gnu', '--sort=name', `--mtime=@${date}`, ...owner];
    const output = ['--use-compress-program=gzip --no-name', `--file=${temporary}/archive`];
    execFileSync('tar', [...words, ...output, `--directory=${temporary}`, title], { stdio: 'inherit' });
    renameSync(join(temporary, 'archive'), file);
    return file;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function fill(folder, cpu) {
  const node = `node-linux-${cpu}`;
  stage(folder, cpu, { [node]: process.versions.node });
  mkdirSync(join(folder, 'bin'));
  renameSync(join(folder, 'node_modules', node, 'bin/node'), join(folder, 'bin/node'));
  rmSync(join(folder, 'node_modules', node), { recursive: true });
  const launcher = readFileSync(join(import.meta.dirname, 'launcher.sh'), 'utf8').replaceAll('@CPU@', cpu);
  writeFileSync(join(folder, name), launcher);
  chmodSync(join(folder, name), 0o755);
  for (const file of ['CHANGELOG.md', 'LICENSE']) cpSync(join(root, file), join(folder, file));
}
