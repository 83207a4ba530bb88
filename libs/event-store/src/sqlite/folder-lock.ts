import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

const SQLITE_BUSY = 5;

/** Another process uses the data folder. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `the data folder ${folder} is in use by another process, which is starting or stopping, or is a keyfold command. Wait for it or stop it, or set KEYFOLD_DATA_DIR to another folder`,
    );
    this.name = 'FolderInUse';
  }
}

/** The data folder cannot be locked: full disk, missing permission or damaged file. */
export class UnusableFolder extends Error {
  constructor(folder: string, cause: Error) {
    super(
      `cannot lock the data folder ${folder}: ${cause.message}. Check that its disk has room and that this user can write to it`,
      { cause },
    );
    this.name = 'UnusableFolder';
  }
}

/**
 * Reserves a data folder for one process: two would both trust their cached stream heads. The lock is one of the operating system, which ends
 * with the process, unlike a file with a process id. SQLite takes it, because Node has no API for it. Many network file systems lack such locks.
 */
export class FolderLock {
  readonly #database: DatabaseSync;

  /** Throws `FolderInUse`, `UnusableFolder`. */
  constructor(folder: string) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(join(folder, 'lock'));
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    } catch (error) {
      database?.close();
      const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY;
      throw isBusy ? new FolderInUse(folder) : new UnusableFolder(folder, error as Error);
    }
    this.#database = database;
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
