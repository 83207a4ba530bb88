// npm run release: writes the archives, the image, the bill of materials of each, and their checksums into dist/release.
//   npm run release -- archive   only the archive for this machine's processor into dist/archive, from the sources as they are
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeArchive } from './archive.mjs';
import { writeImage } from './image.mjs';
import { root, sha256 } from './sbom.mjs';
import { checkSignatures } from './signatures.mjs';

const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
/** The time of the commit, so that builds at different times give the same bytes. */
const date = new Date(Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct')) * 1_000);

const words = process.argv.slice(2).join(' ');
if (words === 'archive') console.log(writeArchive(join(root, 'dist/archive'), process.arch, date, false));
else if (words === '') release(join(root, 'dist/release'));
else fail(`unknown: ${words}. Run "npm run release" or "npm run release -- archive".`);

/** Replaces the folder when everything is written, so that it always holds a whole release. */
function release(folder) {
  const changes = git('status', '--porcelain');
  if (changes) fail(`commit or remove these changes first:\n${changes}`);
  checkSignatures();
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  for (const cpu of ['x64', 'arm64']) writeArchive(part, cpu, date, true);
  writeImage(part, date, git('rev-parse', 'HEAD'));
  const sums = readdirSync(part)
    .toSorted()
    .map((file) => `${sha256(join(part, file))}  ${file}\n`);
  writeFileSync(join(part, 'SHA256SUMS'), sums.join(''));
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  console.log(sums.join(''));
  if (!readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').includes('@sha256:'))
    console.warn(
      'Do not publish the image: its base images are not pinned by digest. Run "npm run pin-images", commit, and repeat.',
    );
}

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}
