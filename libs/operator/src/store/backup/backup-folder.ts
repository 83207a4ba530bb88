import { reasonOf } from '@keyfold/reporting';
import { createFolder, flush } from '@keyfold/process';
import type { Sealer } from '@keyfold/security';
import { lockFolder } from '@keyfold/wiring';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  parseManifest,
  PART_NAME,
  textOfManifest,
  UnusableBackup,
  type Manifest,
  type ReadManifest,
} from './manifest.js';

const MANIFEST = 'manifest.json';
/** Room for the list of a million erased accounts. */
const MANIFEST_BYTES = 64 * 1_048_576;
const UNFINISHED = '.part';
const LOCK = /^lock(?:-journal)?$/;
const OF_THE_FILE_SYSTEM = 'lost+found';

/** Reads the manifest of a backup. Throws `UnusableBackup`. */
export async function readManifest(folder: string, sealer: Sealer | undefined): Promise<ReadManifest> {
  const path = join(folder, MANIFEST);
  const file = await open(path).catch((error: unknown) => {
    throw new UnusableBackup(
      `cannot read the backup: ${reasonOf(error)}. Name a folder that "keyfold backup" has written`,
    );
  });
  try {
    const { size } = await file.stat();
    if (size > MANIFEST_BYTES) throw new UnusableBackup(`${path} has more than ${MANIFEST_BYTES} bytes`);
    return parseManifest(await file.readFile('utf8'), sealer);
  } finally {
    await file.close();
  }
}

/** A backup folder that one process writes. What belongs to the backup is in its manifest; nothing else counts. */
export class BackupFolder {
  readonly #unlock: () => void;

  private constructor(
    readonly path: string,
    /** The content of the folder; undefined for a new backup. */
    readonly manifest: ReadManifest | undefined,
    unlock: () => void,
  ) {
    this.#unlock = unlock;
  }

  /** Opens or creates a folder and deletes what a killed run left in it. Throws `UnusableBackup`. */
  static async open(path: string, sealer: Sealer | undefined): Promise<BackupFolder> {
    createFolderOf(path);
    if ((statSync(path).mode & 0o077) !== 0)
      throw new UnusableBackup(`other users can read ${path}. Run "chmod 700" on it, or name a new folder`);
    const foreign = readdirSync(path).find((name) => !isOwn(name));
    if (foreign !== undefined)
      throw new UnusableBackup(`${path} contains other files (${foreign}). Name a new folder or one with a backup`);
    const unlock = await lock(path);
    try {
      chmodSync(join(path, 'lock'), 0o600);
      const manifest = existsSync(join(path, MANIFEST)) ? await readManifest(path, sealer) : undefined;
      deleteUnfinished(path, manifest);
      return new BackupFolder(path, manifest, unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Returns the path under which a part is written until `complete`. */
  unfinished(file: string): string {
    return join(this.path, `${file}${UNFINISHED}`);
  }

  /** Makes the backup consist of this manifest. `added`: the part that was written for it. Nothing counts before the last step. */
  async complete(manifest: Manifest, added: string | undefined, sealer: Sealer | undefined): Promise<void> {
    const next = this.unfinished(MANIFEST);
    const text = textOfManifest(manifest, sealer);
    if (Buffer.byteLength(text) > MANIFEST_BYTES)
      throw new UnusableBackup(`${this.path} has no room for another part. Name a new folder`);
    await writeFile(next, text, { flag: 'wx', mode: 0o600, flush: true });
    if (added !== undefined) renameSync(this.unfinished(added), join(this.path, added));
    flush(this.path);
    renameSync(next, join(this.path, MANIFEST));
    flush(this.path);
  }

  /** Deletes what was written for a manifest that was not completed, and lets other processes write the folder. */
  close(): void {
    for (const name of readdirSync(this.path)) if (name.endsWith(UNFINISHED)) rmSync(join(this.path, name));
    this.#unlock();
  }
}

const isOwn = (name: string): boolean =>
  name === MANIFEST || name === OF_THE_FILE_SYSTEM || LOCK.test(name) || isPart(name) || name === MANIFEST + UNFINISHED;
const isPart = (name: string): boolean =>
  PART_NAME.test(name.endsWith(UNFINISHED) ? name.slice(0, -UNFINISHED.length) : name);

function createFolderOf(path: string): void {
  try {
    createFolder(path);
  } catch (error) {
    throw new UnusableBackup(`cannot create ${path}: ${reasonOf(error)}. Name a folder that this user can write to`);
  }
}

async function lock(path: string): Promise<() => void> {
  try {
    return await lockFolder(path);
  } catch (error) {
    const reason = (error as Error).name === 'FolderInUse' ? 'another command uses it' : reasonOf(error);
    throw new UnusableBackup(`cannot write to ${path}: ${reason}`);
  }
}

/** A killed run may leave a part under its final name, but only together with its manifest under the unfinished name. */
function deleteUnfinished(path: string, manifest: Manifest | undefined): void {
  const names = readdirSync(path);
  const known = new Set(manifest?.parts.map(({ file }) => file));
  const strays = names.filter((name) => name.endsWith(UNFINISHED) || (PART_NAME.test(name) && !known.has(name)));
  const isLost = !manifest && !names.includes(MANIFEST + UNFINISHED) && strays.some((name) => PART_NAME.test(name));
  if (isLost)
    throw new UnusableBackup(
      `${path} has parts of a backup but no ${MANIFEST}. Restore that file, or name a new folder`,
    );
  // The manifest last, because it tells a killed run from a lost manifest.
  for (const name of strays.toSorted()) rmSync(join(path, name));
}
