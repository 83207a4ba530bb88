// npm test: runs types, lint, import rules, build and every test whose programs are installed.
import { accessSync, constants, globSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApps } from './build.mjs';
import { lint } from './check.mjs';
import { missingPrograms } from '../test/support/programs.ts';
import { TestProgress } from './test-progress.mjs';

const root = join(import.meta.dirname, '..');
const PREFIX = 'keyfold-tests-';
const SHARED_MEMORY = '/dev/shm';
const SHARED_MEMORY_BYTES = 4 * 2 ** 30;
/** In CI, up to this many failed files run once more, to distinguish a bug from a flaky test. The run still fails. */
const MOST_FILES_AGAIN = 3;
const MOST_FILES_NAMED = 20;

const missing = await missingPrograms();
if (missing.length > 0) console.log(`Missing programs, whose tests are left out: ${missing.join(', ')}`);
if (process.env.CI && missing.length > 0) {
  console.error('Missing programs fail a CI run. Install them with "npm run test:setup".');
  process.exit(1);
}
process.env.KEYFOLD_TESTS_LACK = JSON.stringify(missing);
const began = performance.now();
const folder = temporaryFolder();
process.env.TMPDIR = folder;
// Node caches the compiled code of vitest, by default in the temporary folder.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/node-compile');
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.once(signal, () => process.exit(status));

// In parallel with the first tests, because two of its three steps use only one CPU.
const linted = lint();
buildApps();

const { startVitest } = await import('vitest/node');
const progress = await run(globSync('{apps,libs,test}/**/*.spec.ts', { cwd: root }));
const failed = progress.failedFiles();
const again = process.env.CI && failed.length > 0 && failed.length <= MOST_FILES_AGAIN ? await run(failed) : undefined;
const isClean = await linted;
const left = readdirSync(folder, { recursive: true });

if (!isClean) console.log('Types, lint or import rules failed: see above, or run "npm run lint".');
progress.reportFailures();
if (again) console.log(`Second run of ${failed.length} failed files: ${again.failures().length} failures`);
if (left.length > 0) console.log(`Removed files that tests left behind: ${left.slice(0, MOST_FILES_NAMED).join(', ')}`);
progress.reportKinds();
progress.reportLeftOut();
console.log(`Took ${duration(began)}.`);
console.log(`${progress.passed()} passed, ${progress.failures().length} failed`);
process.exit(isClean && progress.isGood() ? 0 : 1);

/** Runs test files; each belongs to one kind of test. */
async function run(filters) {
  const reporter = new TestProgress(filters.length);
  const vitest = await startVitest('test', filters, { root, run: true, watch: false, reporters: [reporter] });
  await vitest.close();
  return reporter;
}

/** Creates the temporary folder of this run, in memory if there is enough, so that tests do not wait for a disk. Removes folders of killed runs. */
function temporaryFolder() {
  const parent = hasSharedMemory() ? SHARED_MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length)) : process.pid;
    if (!isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function hasSharedMemory() {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize > SHARED_MEMORY_BYTES;
  } catch {
    return false;
  }
}

function duration(since) {
  const seconds = Math.round((performance.now() - since) / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
