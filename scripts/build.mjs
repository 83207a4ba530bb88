// npm run build: builds every app whose sources changed since its last build. Commands that start an app build only that app.
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const root = join(import.meta.dirname, '..');
export const APPS = ['cli', 'gateway', 'standalone', 'worker'];
/** The files besides the sources that every build depends on. */
const COMMON = ['package-lock.json', 'scripts/build.mjs', 'scripts/bundle.mjs', 'scripts/console.mjs'];
/** A file in each build that contains the names of the files that it was made of, and their hash. */
const RECORD = 'built.json';
/** A file in each build that is locked by every process that runs the build (libs/process/src/launch). */
const IN_USE = 'in-use';
const BUILD_TIMEOUT_MS = 600_000;

/** The link to the current build. Node resolves it when an app starts, so a running app stays with its own build. */
export const linkOf = (app) => join(root, 'dist/apps', app, 'src');

/** Builds those of the apps that are stale. Exits the process if a build fails. */
export function buildApps(apps = APPS) {
  const stale = apps.filter((app) => !isFresh(app));
  if (stale.length === 0) return;
  // On stderr, because stdout belongs to the started command. An app takes one second on two idle cores.
  console.error(`Building Keyfold, about ${stale.length + 1} s ...`);
  // In a separate process, because the bundler keeps hundreds of megabytes allocated.
  const { status } = spawnSync(process.execPath, [import.meta.filename, ...stale], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** Builds an app if it is stale, and returns its entry point. Exits the process if the build fails. */
export function built(app) {
  buildApps([app]);
  return join(linkOf(app), 'main.js');
}

function isFresh(app) {
  try {
    const { files, hash } = JSON.parse(readFileSync(join(linkOf(app), RECORD), 'utf8'));
    return hash === hashOf(files);
  } catch {
    return false;
  }
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(root, file))).update('\0');
  return hash.digest('hex');
}

if (import.meta.main) {
  const apps = process.argv.slice(2);
  if (apps.length === 0) buildApps();
  else await buildOnce(apps);
}

/** Builds one process at a time, so that processes started in parallel share one build. */
async function buildOnce(apps) {
  try {
    mkdirSync(join(root, 'dist'), { recursive: true });
    using _lock = lock(join(root, 'dist/.build-lock'), BUILD_TIMEOUT_MS);
    for (const app of apps) if (!isFresh(app)) await build(app);
  } catch (error) {
    // The message names the place in the source; the stack only names the bundler.
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Changes the link only when the build is complete, so that an interrupted build is never used. */
async function build(app) {
  const { bundle, changedSource } = await import('./bundle.mjs');
  const began = Date.now();
  const link = linkOf(app);
  const folder = `${link}.${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  const files = [...COMMON, ...(await bundle(`apps/${app}/src/main.ts`, folder))];
  // A source that changed in the meantime makes the build stale.
  const hash = changedSource(files, began) ? undefined : hashOf(files);
  writeFileSync(join(folder, RECORD), JSON.stringify({ files, hash }));
  writeFileSync(join(folder, IN_USE), '');
  rmSync(`${link}-next`, { force: true });
  symlinkSync(basename(folder), `${link}-next`);
  renameSync(`${link}-next`, link);
  removeUnused(link);
}

/** Removes builds that no process runs, interrupted ones included, and the compiled code of all. */
function removeUnused(link) {
  rmSync(join(dirname(link), '.compile-cache'), { recursive: true, force: true, maxRetries: 5 });
  for (const folder of globSync(`${link}.*`)) {
    if (folder === realpathSync(link)) continue;
    try {
      using _lock = lock(join(folder, IN_USE));
      rmSync(folder, { recursive: true });
    } catch (error) {
      if (error.code !== 'ERR_SQLITE_ERROR') throw error;
    }
  }
}

/**
 * Locks a file until the result is disposed of. The locks of SQLite are the only ones that Node offers; the system releases them
 * however a process ends.
 */
function lock(file, timeout = 0) {
  const database = new DatabaseSync(file, { timeout });
  database.exec('BEGIN EXCLUSIVE');
  return database;
}
