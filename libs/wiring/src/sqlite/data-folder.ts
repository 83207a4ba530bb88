import { FolderLock } from '@keyfold/event-store/sqlite';
import { reasonOf } from '@keyfold/reporting';
import { newSealingKeyText, parseSealingKeys, parseTokenSecrets, requireStrongSealingKey } from '@keyfold/security';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { createFolder, InvalidConfiguration, requireOwnFile, requireOwnFolder } from '@keyfold/process';

const DATABASE = 'keyfold.db';
const OWN_FILES =
  /^(?:(?:keyfold|views)\.db(?:-wal|-shm)?|lock(?:-journal)?|(?:token-secret|sealing-key)(?:\.new)?|operator\.sock)$/;
const SOCKET = 'operator.sock';
const OF_THE_FILE_SYSTEM = 'lost+found';
/** A folder that a command fills before it moves the files into place. */
const UNFINISHED = /^(?:restore|copy)\.part$/;

/** See `lockFolder`. */
export const lockOf = (folder: string): FolderLock => new FolderLock(folder);

/** Locks a folder for what `open` returns, and unlocks it if that rejects. Throws `FolderInUse`, `UnusableFolder`. */
export async function openLocked<Opened>(folder: string, open: (lock: FolderLock) => Promise<Opened>): Promise<Opened> {
  const lock = lockOf(folder);
  try {
    return await open(lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Creates the data folder, or closes an existing one: see `closeDataFolder`. */
export function prepareDataFolder(folder: string, filled?: string): void {
  writing(folder, () => createFolder(resolve(folder)));
  closeDataFolder(folder, filled);
}

/** Changes the data folder. Throws `InvalidConfiguration` if the system refuses. */
function writing(folder: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    throw new InvalidConfiguration([
      `KEYFOLD_DATA_DIR: cannot write to ${folder}: ${reasonOf(error)}. Name a folder that this user can write to`,
    ]);
  }
}

/**
 * Closes the data folder to other users. Throws `InvalidConfiguration` for a folder with other contents that others can read, and for one
 * that somebody else may have filled. `filled`: the folder inside it that the caller fills; any other one is refused.
 */
export function closeDataFolder(folder: string, filled?: string): void {
  requireOwnFolder(folder);
  requireFinished(folder, filled);
  const open = (statSync(folder).mode & 0o077) !== 0;
  const foreign = readdirSync(folder).find((name) => !OWN_FILES.test(name) && name !== OF_THE_FILE_SYSTEM);
  if (open && foreign !== undefined && !existsSync(join(folder, DATABASE))) {
    throw new InvalidConfiguration([
      `KEYFOLD_DATA_DIR: ${folder} contains other files (${foreign}). Choose a folder for this service alone`,
    ]);
  }
  writing(folder, () => chmodSync(folder, 0o700));
  // Nobody else can add files from here on.
  for (const name of readdirSync(folder).filter((each) => OWN_FILES.test(each)))
    requireOwnFile(join(folder, name), name === SOCKET ? 'socket' : 'regular file');
}

/** Throws `InvalidConfiguration` if a command was killed while it filled the folder: a new store would take the place of its data. */
function requireFinished(folder: string, filled: string | undefined): void {
  if (existsSync(join(folder, DATABASE))) return;
  const unfinished = readdirSync(folder).find((name) => name !== filled && UNFINISHED.test(name));
  if (unfinished === undefined) return;
  throw new InvalidConfiguration([
    `KEYFOLD_DATA_DIR: a command that fills ${folder} has not finished. Run it again, or delete ${join(folder, unfinished)}`,
  ]);
}

/**
 * Sets every file of the data folder to mode 0600, because a restore or a copy may have opened it to other users. The caller must hold
 * the folder lock, so that no other process creates or removes files meanwhile. Also deletes what a restore or a copy left that was killed
 * after its last step. Throws `InvalidConfiguration` for a file of another user.
 */
export function protectDataFiles(folder: string): void {
  if (existsSync(join(folder, DATABASE)))
    for (const name of readdirSync(folder).filter((each) => UNFINISHED.test(each)))
      rmSync(join(folder, name), { recursive: true });
  for (const name of readdirSync(folder).filter((each) => OWN_FILES.test(each))) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isFile() && (stats.mode & 0o077) !== 0) protectFile(path);
  }
}

function protectFile(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    throw new InvalidConfiguration([
      `${path} can be read by other users, and its mode cannot be changed: ${reasonOf(error)}. Run \`chmod 600\` on it as its owner`,
    ]);
  }
}

const TOKEN_SECRET_ADVICE = '. Restore the file, or remove it to generate a new secret, which ends every session';

/** Returns the token secrets; generates them at the first start. Throws `InvalidConfiguration` if the file is invalid. */
export function generatedTokenSecret(folder: string): string {
  const generate = () => randomBytes(48).toString('base64url');
  return readOrGenerate(join(folder, 'token-secret'), generate, parseTokenSecrets, TOKEN_SECRET_ADVICE);
}

/** Returns the sealing keys; generates one at the first start, but never for existing data. Throws `InvalidConfiguration`. */
export function generatedSealingKey(folder: string): string {
  const path = join(folder, 'sealing-key');
  if (!existsSync(path) && existsSync(join(folder, DATABASE))) {
    throw new InvalidConfiguration([
      `${path} is missing, and the secrets in ${DATABASE} are sealed with it. Restore it from a backup, or set KEYFOLD_SEALING_KEY to its earlier value`,
    ]);
  }
  const check = (keys: string) => requireStrongSealingKey(parseSealingKeys(keys));
  return readOrGenerate(path, () => newSealingKeyText('k1'), check);
}

/**
 * Reads a file or creates it with mode 0600. It is created atomically, so that a crash leaves no partial secret. Throws
 * `InvalidConfiguration` with `advice` if `check` throws.
 */
function readOrGenerate(path: string, generate: () => string, check: (text: string) => unknown, advice = ''): string {
  if (!existsSync(path)) {
    // A killed startup may have left one. `wx` follows no symbolic link.
    rmSync(`${path}.new`, { force: true });
    writeFileSync(`${path}.new`, `${generate()}\n`, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  const text = readFileSync(path, 'utf8').trimEnd();
  try {
    check(text);
    return text;
  } catch (error) {
    throw new InvalidConfiguration([`${path}: ${(error as Error).message}${advice}`]);
  }
}
