import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidConfiguration } from './read-settings.js';

const ROOT = 0;
/** The user whose permissions apply to this process. */
const ownUser = () => process.geteuid!();

/** Creates a folder for its owner alone, and its parents. The recursive `mkdir` of Node 24 never ends below a folder such as `/proc`. */
export function createFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  createFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Makes a file, or the names in a folder, survive a power failure. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/**
 * Requires that the data folder belongs to the user of this process, because its owner can replace every file in it. The folders above
 * it are not checked: containers mount volumes that everyone can write. Throws `InvalidConfiguration`.
 */
export function requireOwnFolder(folder: string, user = ownUser()): void {
  const link = lstatSync(resolve(folder));
  if (link.isSymbolicLink() && !isTrusted(link, user))
    refuse(`KEYFOLD_DATA_DIR: ${folder} is a symbolic link of user ${link.uid}. Name the folder itself`);
  const { uid } = statSync(folder);
  if (uid === user) return;
  refuse(
    `KEYFOLD_DATA_DIR: ${folder} belongs to user ${uid}, but Keyfold runs as user ${user}. ` +
      'Run Keyfold as the owner, change the owner with `chown`, or name a new folder, which Keyfold creates',
  );
}

/** Requires that root or the user of this process created a file of the data folder. Ignores a missing one. Throws `InvalidConfiguration`. */
export function requireOwnFile(path: string, kind: 'regular file' | 'socket', user = ownUser()): void {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (!file) return;
  if (!isTrusted(file, user))
    refuse(
      `${path} belongs to user ${file.uid}, but Keyfold runs as user ${user}. ` +
        'If you trust its content, change the owner with `chown`. Otherwise remove it',
    );
  // A symbolic link is neither.
  const isKind = kind === 'socket' ? file.isSocket() : file.isFile();
  if (!isKind) refuse(`${path} is not a ${kind}. Move it away, or put a ${kind} in its place`);
}

const isTrusted = ({ uid }: Stats, user: number) => uid === ROOT || uid === user;

function refuse(problem: string): never {
  throw new InvalidConfiguration([problem]);
}
