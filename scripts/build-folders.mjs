// Each build has a folder of its own, and a link names the current one. A running process loads threads and chunks from the folder that
// it started in, so a new build must not touch that folder.
import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './build-lock.mjs';

/** Holds a file for each process that runs a build, named by its id. */
const USERS = 'users';

/** Creates the folder of a new build beside a link. It is current only after `makeCurrent`. */
export function newBuildFolder(link) {
  const folder = `${link}.build-${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Points a link at a complete build, and removes the builds beside it that no process uses. The build before stays in any case, because
 * an app that is started without `npm start` is not known. Only for the holder of the build lock.
 */
export function makeCurrent(folder, link) {
  const before = targetOf(link);
  removeOldLayout(link);
  const next = `${link}.next`;
  rmSync(next, { force: true });
  symlinkSync(basename(folder), next);
  renameSync(next, link);
  for (const build of buildsOf(link)) {
    if (build !== realpathSync(folder) && build !== before && !isInUse(build)) rmSync(build, { recursive: true });
  }
}

/** Keeps the current build of a link until this process ends, and returns the folder of the build. */
export function useBuild(link) {
  const folder = realpathSync(link);
  const user = join(folder, USERS, String(process.pid));
  try {
    mkdirSync(dirname(user), { recursive: true });
    writeFileSync(user, '');
    process.once('exit', () => rmSync(user, { force: true }));
  } catch {
    // Another user built it. Then this process is not known, like one that is started without `npm start`.
  }
  return folder;
}

const buildsOf = (link) =>
  readdirSync(dirname(link))
    .filter((name) => name.startsWith(`${basename(link)}.build-`))
    .map((name) => join(realpathSync(dirname(link)), name));

function isInUse(build) {
  try {
    return readdirSync(join(build, USERS)).some((pid) => isAlive(Number(pid)));
  } catch {
    return false;
  }
}

function targetOf(link) {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}

/** Up to version 0.1.0 a build was a folder in the place of the link. */
function removeOldLayout(link) {
  if (lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) rmSync(link, { recursive: true });
  for (const rest of ['unfinished', 'former']) rmSync(`${link}.${rest}`, { recursive: true, force: true });
}
