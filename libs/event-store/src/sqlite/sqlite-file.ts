import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './private-file.js';
import { BUSY_TIMEOUT, SqliteConnection, type SharedFile } from './sqlite-connection.js';
import { SqliteWriterThread } from './sqlite-writer-thread.js';

/**
 * `version` is stored in the file. `FULL`: a commit is on disk before it is acknowledged; `NORMAL`: a power failure may lose the last
 * ones.
 */
export type SqliteSchema = Readonly<{ version: number; sql: string; synchronous: 'FULL' | 'NORMAL' }>;

/** A newer version of the program wrote the file, or it is not a database of this kind. */
export class UnusableFile extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UnusableFile';
  }
}

/** An SQLite file and the thread that writes it. The process that owns the file has one; its other threads connect to it. */
export class SqliteFile extends SqliteConnection {
  readonly #thread: SqliteWriterThread;

  /** Creates the file, readable only by its owner, and missing tables. Throws `UnusableFile`. */
  constructor(path: string, schema: SqliteSchema) {
    prepareFile(path, schema);
    const transactions = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const { synchronous } = schema;
    const thread = new SqliteWriterThread({ path, synchronous, busyTimeout: BUSY_TIMEOUT, transactions });
    super(thread.connect());
    this.#thread = thread;
  }

  /** Returns what another thread needs for a `SqliteConnection` to this file. It must close that before this file is closed. */
  share(): SharedFile {
    return this.#thread.connect();
  }

  /** Calls `listener` after a transaction, at least if another thread may have written. */
  onWritten(listener: () => void): void {
    this.#thread.onWritten(listener);
  }

  /** Closes this connection, then the file. The write-ahead log is then empty, unless another program has the file open. */
  override async close(): Promise<void> {
    await super.close();
    // The last connection to close checkpoints the write-ahead log, which a read-only one cannot.
    await this.#thread.close();
  }
}

function prepareFile(path: string, { version, sql }: SqliteSchema): void {
  let database: DatabaseSync | undefined;
  createPrivateFile(path);
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (found > version) {
      throw new UnusableFile(
        `${path} has schema ${found}, but this version only supports schema ${version}. Start the newer version again, or restore the backup from before the upgrade`,
      );
    }
    database.exec(`PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`);
  } catch (cause) {
    if (cause instanceof UnusableFile) throw cause;
    throw new UnusableFile(`cannot use ${path} as a database: ${(cause as Error).message}`, { cause });
  } finally {
    database?.close();
  }
}
