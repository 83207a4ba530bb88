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

/**
 * Keeps a data folder to one process. The lock is one of the operating system's (taken through SQLite, because Node offers none),
 * so it ends with the process, however that ends.
 */
export class FolderLock {
  readonly #database: DatabaseSync;

  /** Throws `FolderInUse`; a folder that cannot be locked at all throws what SQLite says about it. */
  constructor(folder: string) {
    this.#database = new DatabaseSync(join(folder, 'lock'));
    try {
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    } catch (error) {
      this.#database.close();
      throw (error as { errcode?: number }).errcode === SQLITE_BUSY ? new FolderInUse(folder) : error;
    }
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
