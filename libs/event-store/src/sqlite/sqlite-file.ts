import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as otherWork } from 'node:timers/promises';
import { StoreUnavailable } from '../event-store.errors.js';
import type { Histogram } from '../histogram.js';
import { createPrivateFile } from './private-file.js';
import { SqliteWriter } from './sqlite-writer.js';
import type { Row, WriteJob, WriteResult } from './sqlite-writer.worker.js';

/**
 * `version` is kept in the file; `FULL`: a commit is on the disk when it is acknowledged, `NORMAL`: the last ones may be lost with the power.
 * `added`: columns that older files lack, by table. They may be null, so an older program can still write to the file.
 */
export type SqliteSchema = Readonly<{
  version: number;
  sql: string;
  synchronous: 'FULL' | 'NORMAL';
  added?: Readonly<Record<string, readonly string[]>>;
}>;

/** How long a writer waits for another program that locks the file, in milliseconds. */
const BUSY_TIMEOUT = 2_000;

/** The file was written by a newer version of the program, or is no database of this kind. */
export class UnusableFile extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UnusableFile';
  }
}

/** One SQLite file: reads here and now on a connection of this thread, writes in groups on a thread of their own. */
export class SqliteFile {
  readonly #reader: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #prepared = new Map<string, StatementSync>();

  /** Makes the file, for its owner alone, and its tables when they are missing. Throws `UnusableFile`. */
  constructor(
    readonly path: string,
    schema: SqliteSchema,
  ) {
    prepareFile(path, schema);
    this.#reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
    this.#writer = new SqliteWriter({ path, synchronous: schema.synchronous, busyTimeout: BUSY_TIMEOUT });
  }

  /** The rows of a query, including everything that was acknowledged. Throws `StoreUnavailable`. */
  read(sql: string, ...params: SQLInputValue[]): Row[] {
    try {
      return this.#statement(sql).all(...params);
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  /** Writes the statements together or not at all; see `SqliteWriter`. */
  write(job: WriteJob, batches?: Histogram): Promise<WriteResult> {
    return this.#writer.write(job, batches);
  }

  /** Like `write` for statements that no constraint can refuse. */
  async writeAll(job: WriteJob): Promise<readonly (readonly Row[])[]> {
    const result = await this.write(job);
    if ('rows' in result) return result.rows;
    throw new StoreUnavailable(`${this.path} refused a write: ${result.reason}`);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) this.#prepared.set(sql, (statement = this.#reader.prepare(sql)));
    return statement;
  }

  #unreadable(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(`cannot read ${this.path}: ${(cause as Error).message}`, { cause });
  }

  /** Finishes what was accepted and closes both connections. The file then holds everything, unless another program has it open. */
  async close(): Promise<void> {
    await this.#writer.finish();
    // Whoever waited for a write may still read what became of it.
    await otherWork();
    // The last connection to close empties the write-ahead log into the file, which one that only reads cannot.
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
        `${path} has schema ${found} and this program knows schema ${version}: start the newer version of the program again, or restore the backup that was made before the upgrade`,
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

/** Adds the columns of texts that the table lacks. */
function addColumns(database: DatabaseSync, table: string, columns: readonly string[]): void {
  const present = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  const missing = columns.filter((column) => !present.some(({ name }) => name === column));
  for (const column of missing) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
}
