import { flush, InvalidConfiguration, requireOwnFolder } from '@keyfold/process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FillingStore } from '../stores/store-adapters.js';
import { openLocked, prepareDataFolder } from './data-folder.js';
import { openSqlite } from './sqlite-store.module.js';

/** Names that may be in the folder before: secrets, and leftovers of other processes and of the file system. */
const ALLOWED = /^(?:(?:token-secret|sealing-key)(?:\.new)?|lock(?:-journal)?|operator\.sock|lost\+found)$/;

/** In this order: with the first one the store is whole, and the second one could be rebuilt. */
const FILES = ['keyfold.db', 'views.db'];

/** See `openSqliteToFill`. */
export async function openToFill(
  folder: string,
  filler: string,
  { startOver } = { startOver: false },
): Promise<FillingStore> {
  const name = `${filler}.part`;
  const part = join(folder, name);
  requireEmpty(folder, name);
  prepareDataFolder(folder, name);
  return openLocked(folder, async (lock) => {
    if (startOver) rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { mode: 0o700, recursive: true });
    const { adapters, close } = await openSqlite(part);
    let closed: Promise<void> | undefined;
    const closeOnce = () => (closed ??= close());
    return {
      adapters,
      async finish() {
        await closeOnce();
        for (const file of FILES) renameSync(join(part, file), join(folder, file));
        flush(folder);
        rmSync(part, { recursive: true });
      },
      async close() {
        await closeOnce();
        lock.release();
      },
    };
  });
}

/** Throws `InvalidConfiguration` unless the folder is missing, empty, or has only secrets and what a killed command left. */
function requireEmpty(folder: string, part: string): void {
  if (!existsSync(folder)) return;
  requireOwnFolder(folder);
  const other = readdirSync(folder).find((name) => name !== part && !ALLOWED.test(name));
  if (other === undefined) return;
  throw new InvalidConfiguration([
    `KEYFOLD_DATA_DIR: ${folder} is not empty (${other}). Name an empty or a new folder. Only token-secret and sealing-key may be in it`,
  ]);
}
