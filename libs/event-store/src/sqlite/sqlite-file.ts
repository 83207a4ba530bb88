import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as otherWork } from 'node:timers/promises';
import { StoreUnavailable } from '../event-store.errors.js';
import type { Histogram } from '../histogram.js';
import { createPrivateFile } from './private-file.js';
import { SqliteWriter } from './sqlite-writer.js';
import type { Row, WriteJob, WriteResult } from './sqlite-writer.worker.js';

/**
 * `version` is stored in the file. `FULL`: a commit is on disk before it is acknowledged; `NORMAL`: a power failure may lose the last
 * ones. `added`: nullable columns that older files lack, by table. Older versions of the program can still write to such a file.
 */
export type SqliteSchema = Readonly<{
  version: number;
  sql: string;
  synchronous: 'FULL' | 'NORMAL';
  added?: Readonly<Record<string, readonly string[]>>;
}>;

/** How long to wait for another program that locks the file, in milliseconds. */
const BUSY_TIMEOUT = 2_000;

/** A newer version of the program wrote the file, or it is not a database of this kind. */
export class UnusableFile extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UnusableFile';
  }
}

/** One SQLite file. Reads are synchronous on this thread; a second thread writes in groups. */
export class SqliteFile {
  readonly #reader: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #prepared = new Map<string, StatementSync>();

  /** Creates the file, readable only by its owner, and missing tables. Throws `UnusableFile`. */
  constructor(
    readonly path: string,
    schema: SqliteSchema,
  ) {
    prepareFile(path, schema);
    this.#reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
    this.#writer = new SqliteWriter({ path, synchronous: schema.synchronous, busyTimeout: BUSY_TIMEOUT });
  }

  /** Returns the rows of a query, which sees everything acknowledged. Throws `StoreUnavailable`. */
  read(sql: string, ...params: SQLInputValue[]): Row[] {
    try {
      let statement = this.#prepared.get(sql);
      if (!statement) this.#prepared.set(sql, (statement = this.#reader.prepare(sql)));
      return statement.all(...params);
    } catch (cause) {
      throw new StoreUnavailable(`cannot read ${this.path}: ${(cause as Error).message}`, { cause });
    }
  }

  /** Runs the statements in one transaction; see `SqliteWriter`. */
  write(job: WriteJob, batches?: Histogram): Promise<WriteResult> {
    return this.#writer.write(job, batches);
  }

  /** Runs statements that no constraint can refuse, and returns their rows. */
  async writeAll(job: WriteJob): Promise<readonly (readonly Row[])[]> {
    const result = await this.write(job);
    if ('rows' in result) return result.rows;
    throw new StoreUnavailable(`${this.path} refused a write: ${result.reason}`);
  }

  /** Finishes accepted writes and closes both connections. The write-ahead log is then empty, unless another program has the file open. */
  async close(): Promise<void> {
    await this.#writer.finish();
    // Callers that waited for a write may still read its result.
    await otherWork();
    // The last connection to close checkpoints the write-ahead log, which a read-only one cannot.
    if (this.#reader.isOpen) this.#reader.close();
    await this.#writer.close();
  }
}

function prepareFile(path: string, { version, sql, added = {} }: SqliteSchema): void {
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
    database.exec(`PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}`);
    for (const [table, columns] of Object.entries(added)) addColumns(database, table, columns);
    database.exec('COMMIT');
  } catch (cause) {
    if (cause instanceof UnusableFile) throw cause;
    throw new UnusableFile(`cannot use ${path} as a database: ${(cause as Error).message}`, { cause });
  } finally {
    database?.close();
  }
}

/** Adds missing text columns. */
function addColumns(database: DatabaseSync, table: string, columns: readonly string[]): void {
  const present = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  const missing = columns.filter((column) => !present.some(({ name }) => name === column));
  for (const column of missing) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
}
