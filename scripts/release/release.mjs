// npm run release: writes the archives, the image, their lists of components and their checksums into dist/release.
//   npm run release -- archive   only the archive for this machine's processor, from the sources as they are
import { execFileSync } from 'node:child_process';
import { writeArchive } from './archive.mjs';

const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();
/** When the release was committed, in unix seconds: builds at different times give the same bytes. */
const date = Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct'));

if (process.argv[2] === 'archive') {
  console.log(writeArchive(process.arch, date));
}
