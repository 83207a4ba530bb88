import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '../..');

/** Builds the archive from the present sources, as `npm run release` does, and returns its path. */
export const buildArchive = (): string =>
  execFileSync(process.execPath, ['scripts/release/release.mjs', 'archive'], {
    cwd: PROJECT,
    // The commit does not matter, and a copy without history has none.
    env: { ...process.env, SOURCE_DATE_EPOCH: '1790000000' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** Builds the archive and unpacks it. Returns the new folder and the folder of the archive within it. */
export async function unpackArchive(): Promise<{ folder: string; installed: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-archive-'));
  execFileSync('tar', ['--extract', `--file=${buildArchive()}`, `--directory=${folder}`]);
  const [name = ''] = await readdir(folder);
  return { folder, installed: join(folder, name) };
}
