import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { StoreUnavailable } from '../event-store.errors.js';
import { BUSY_TIMEOUT, type SqliteAccess } from './sqlite-connection.js';
import { UnusableFile } from './sqlite-file.js';
import type { Row } from './sqlite-writer.worker.js';

/**
 * A read-only view of an SQLite file as it was when this was opened, also beside a process that writes it. The file keeps everything written
 * meanwhile in its write-ahead log.
 */
export class SqliteSnapshot implements SqliteAccess {
  /** Nothing changes. */
  readonly transactions = 0;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** `version`: the highest schema that can be read. Throws `UnusableFile`. */
  constructor(
    readonly path: string,
    version: number,
  ) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
      database.exec('BEGIN');
      // The first read fixes what the transaction sees.
      const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
      database.prepare('SELECT 1 FROM sqlite_schema').get();
      if (found > version)
        throw new UnusableFile(`${path} has schema ${found}, but this version only supports schema ${version}`);
      this.#database = database;
    } catch (cause) {
      database?.close();
      if (cause instanceof UnusableFile) throw cause;
      throw new UnusableFile(`cannot read ${path} as a database: ${(cause as Error).message}`, { cause });
    }
  }

  read(sql: string, ...params: SQLInputValue[]): Row[] {
    try {
      let statement = this.#prepared.get(sql);
      if (!statement) this.#prepared.set(sql, (statement = this.#database.prepare(sql)));
      return statement.all(...params);
    } catch (cause) {
      throw new StoreUnavailable(`cannot read ${this.path}: ${(cause as Error).message}`, { cause });
    }
  }

  async write(): Promise<never> {
    throw new TypeError('a snapshot cannot be written');
  }

  writeAll(): Promise<never> {
    return this.write();
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }
}
