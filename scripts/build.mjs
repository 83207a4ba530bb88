// npm run build: builds every app whose sources changed since its last build. The commands that start an app build that app alone.
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
/** What every build depends on besides the sources. */
const common = ['package-lock.json', 'scripts/build.mjs', 'scripts/bundle.mjs'];
/** Written into each build: when it began, and the files that it depends on. */
const RECORD = 'built.json';

/** Builds the apps that are stale. Ends the process if a build fails. */
export function buildApps() {
  buildStale(apps);
}

/** Builds an entry point of the sources if it is stale, and returns the built file. Ends the process if the build fails. */
export function built(entry) {
  buildStale([entry]);
  return fileOf(entry);
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

/** An interrupted build is not taken for a good one: it is made beside the former one, which it replaces when it is complete. */
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
