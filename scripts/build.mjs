// npm run build: builds every app whose sources changed since its last build. Commands that start an app build only that app.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdingLock } from './build-lock.mjs';
import { changedSource } from './changed-source.mjs';

const root = join(import.meta.dirname, '..');
const entryOf = (app) => `apps/${app}/src/main.ts`;
const folderOf = (entry) => join(root, 'dist', dirname(entry));
const fileOf = (entry) => join(folderOf(entry), `${basename(entry, '.ts')}.js`);
const apps = ['cli', 'gateway', 'standalone', 'worker'].map(entryOf);
/** The files besides the sources that every build depends on. */
const common = ['package-lock.json', 'scripts/build.mjs', 'scripts/bundle.mjs'];
/** A file in each build that contains its start time and the files that it depends on. */
const RECORD = 'built.json';

/** Builds all stale apps. Exits the process if a build fails. */
export function buildApps() {
  buildStale(apps);
}

/** Builds the app of an entry point if it is stale, and returns the built file. Exits the process if the build fails. */
export function built(entry) {
  buildStale([entry]);
  return fileOf(entry);
}

function buildStale(entries) {
  const stale = entries.filter((entry) => !isFresh(entry));
  if (stale.length === 0) return;
  // On stderr, because stdout belongs to the started command. An app takes one second on two idle cores.
  console.error(`Building Keyfold, about ${stale.length + 1} s ...`);
  // In a separate process, because the bundler keeps hundreds of megabytes allocated.
  const { status } = spawnSync(process.execPath, [import.meta.filename, ...stale], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** Builds in a temporary folder and then replaces the previous build, so that an interrupted build is never used. */
async function build(entry, bundle) {
  const began = Date.now();
  const folder = folderOf(entry);
  const [unfinished, former] = [`${folder}.unfinished`, `${folder}.former`];
  const inputs = [...common, ...(await bundle(entry, unfinished))];
  writeFileSync(join(unfinished, RECORD), JSON.stringify({ began, inputs }));
  rmSync(former, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, former);
  renameSync(unfinished, folder);
  rmSync(former, { recursive: true, force: true });
}

function isFresh(entry) {
  try {
    const { began, inputs } = JSON.parse(readFileSync(join(folderOf(entry), RECORD), 'utf8'));
    return changedSource(inputs, began) === undefined;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const entries = process.argv.slice(2);
  if (entries.length === 0) buildApps();
  else await buildOnce(entries);
}

/** Builds under a lock, so that processes started in parallel share one build. */
async function buildOnce(entries) {
  const { bundle } = await import('./bundle.mjs');
  try {
    mkdirSync(join(root, 'dist'), { recursive: true });
    await holdingLock(join(root, 'dist/.build-lock'), async () => {
      for (const entry of entries) if (!isFresh(entry)) await build(entry, bundle);
    });
  } catch (error) {
    // The message names the place in the source; the stack only names the bundler.
    console.error(error.message);
    process.exitCode = 1;
  }
}
