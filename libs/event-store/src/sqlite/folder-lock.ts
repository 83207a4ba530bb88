import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

/** Another process works on the data folder. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `the data folder ${folder} is in use by another process: stop that process first, or give this one a folder of its own with KEYFOLD_DATA_DIR`,
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

  /** Throws `FolderInUse`. */
  constructor(folder: string) {
    this.#database = new DatabaseSync(join(folder, 'lock'));
    try {
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    } catch {
      this.#database.close();
      throw new FolderInUse(folder);
    }
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
