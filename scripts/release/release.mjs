// npm run release: writes the archives, the image, the bill of materials of each, and their checksums into dist/release.
//   npm run release -- archive   only the archive for this machine's processor, from the sources as they are
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeArchive } from './archive.mjs';
import { writeImage } from './image.mjs';
import { checkSignatures } from './signatures.mjs';
import { releaseFolder, root } from './stage.mjs';

const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
/** The time of the commit, so that builds at different times give the same bytes. */
const date = new Date(Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct')) * 1_000);

if (process.argv[2] === 'archive') console.log(writeArchive(process.arch, date));
else release();

function release() {
  const changes = git('status', '--porcelain');
  if (changes) fail(`commit or remove these changes first:\n${changes}`);
  checkSignatures();
  rmSync(releaseFolder, { recursive: true, force: true });
  for (const cpu of ['x64', 'arm64']) console.log(writeArchive(cpu, date));
  console.log(writeImage(date, git('rev-parse', 'HEAD')));
  const sums = readdirSync(releaseFolder)
    .toSorted()
    .map((file) => `${sha256(join(releaseFolder, file))}  ${file}\n`);
  writeFileSync(join(releaseFolder, 'SHA256SUMS'), sums.join(''));
}

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}
