// npm run build: builds every app whose sources changed since its last build. The commands that start an app build that app alone.
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
/** What every build depends on besides the sources. */
const common = ['package-lock.json', 'scripts/build.mjs', 'scripts/build-folders.mjs', 'scripts/bundle.mjs'];
/** Written into each build: when it began, and the files that it depends on. */
const RECORD = 'built.json';

/** Builds the apps that are stale. Ends the process if a build fails. */
export function buildApps() {
  buildStale(apps);
}

/**
 * Builds an entry point of the sources if it is stale, and returns the built file. The build stays until this process ends. Ends the
 * process if the build fails.
 */
export function built(entry) {
  buildStale([entry]);
  return join(useBuild(linkOf(entry)), `${basename(entry, '.ts')}.js`);
}

function buildStale(entries) {
  const stale = entries.filter((entry) => !isFresh(entry));
  if (stale.length === 0) return;
  // On stderr: stdout belongs to the command that is started. Two idle cores need one second for an app.
  console.error(`Building Keyfold, about ${stale.length + 1} s ...`);
  // In a process of its own, because the bundler leaves hundreds of megabytes behind.
  const { status } = spawnSync(process.execPath, [import.meta.filename, ...stale], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** An interrupted build is never taken for a good one, because the link is changed when a build is complete. */
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

/** Processes that are started side by side share one build. */
async function buildOnce(entries) {
  const { bundle } = await import('./bundle.mjs');
  try {
    mkdirSync(join(root, 'dist'), { recursive: true });
    await holdingLock(join(root, 'dist/.build-lock'), async () => {
      for (const entry of entries) if (!isFresh(entry)) await build(entry, bundle);
    });
  } catch (error) {
    // It shows the place in the source; the stack shows the bundler.
    console.error(error.message);
    process.exitCode = 1;
  }
}
