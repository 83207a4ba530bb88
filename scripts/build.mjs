// npm run build: builds every app whose sources changed since its last build. Commands that start an app build only that app.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeCurrent, newBuildFolder, useBuild } from './build-folders.mjs';
import { holdingLock } from './build-lock.mjs';
import { changedSource } from './changed-source.mjs';

const root = join(import.meta.dirname, '..');
const entryOf = (app) => `apps/${app}/src/main.ts`;
/** The link to the current build of an entry point. */
const linkOf = (entry) => join(root, 'dist', dirname(entry));
const apps = ['cli', 'gateway', 'standalone', 'worker'].map(entryOf);
/** The files besides the sources that every build depends on. */
const common = ['package-lock.json', 'scripts/build.mjs', 'scripts/build-folders.mjs', 'scripts/bundle.mjs'];
/** A file in each build that contains its start time and the files that it depends on. */
const RECORD = 'built.json';

/** Builds all stale apps. Exits the process if a build fails. */
export function buildApps() {
  buildStale(apps);
}

/**
 * Builds the app of an entry point if it is stale, and returns the built file. The build is kept until this process ends. Exits the process if
 * the build fails.
 */
export function built(entry) {
  buildStale([entry]);
  return join(useBuild(linkOf(entry)), `${basename(entry, '.ts')}.js`);
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

/** Changes the link only when the build is complete, so that an interrupted build is never used. */
async function build(entry, bundle) {
  const began = Date.now();
  const folder = newBuildFolder(linkOf(entry));
  const inputs = [...common, ...(await bundle(entry, folder))];
  writeFileSync(join(folder, RECORD), JSON.stringify({ began, inputs }));
  makeCurrent(folder, linkOf(entry));
}

function isFresh(entry) {
  try {
    const { began, inputs } = JSON.parse(readFileSync(join(linkOf(entry), RECORD), 'utf8'));
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
