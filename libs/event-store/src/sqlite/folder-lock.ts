import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

const SQLITE_BUSY = 5;

/** Another process works on the data folder. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `the data folder ${folder} is in use by another process, which is starting or stopping, or is a keyfold command. Wait for it or stop it, or set KEYFOLD_DATA_DIR to another folder`,
    );
    this.name = 'FolderInUse';
  }
}

/** The lock of the data folder cannot be taken: no room on the disk, no permission, a damaged file. */
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
 * Keeps a data folder to one process. The lock is one of the operating system's (taken through SQLite, because Node offers none),
 * so it ends with the process, however that ends.
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
