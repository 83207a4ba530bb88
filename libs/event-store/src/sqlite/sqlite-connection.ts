import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { StoreUnavailable } from '../event-store.errors.js';
import type { Histogram } from '../histogram.js';
import { SqliteWriter } from './sqlite-writer.js';
import type { Row, WriteJob, WriteResult } from './sqlite-writer.worker.js';

/** How long to wait for another program that locks the file, in milliseconds. */
export const BUSY_TIMEOUT = 2_000;

/**
 * The access of one more thread to a file that the process has open. A message with it must transfer `port`. `transactions`: see
 * `WriterOptions`.
 */
export type SharedFile = Readonly<{ path: string; port: MessagePort; transactions: Int32Array<SharedArrayBuffer> }>;

/** One thread's connection to an open SQLite file. Reads are synchronous on this thread; the file's writer thread writes in groups. */
export class SqliteConnection {
  readonly path: string;
  readonly #transactions: SharedFile['transactions'];
  readonly #reader: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #prepared = new Map<string, StatementSync>();

  constructor({ path, port, transactions }: SharedFile) {
    this.path = path;
    this.#transactions = transactions;
    this.#reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
    this.#writer = new SqliteWriter(port, path);
  }

  /** Changes with every transaction of any thread, before its jobs are acknowledged. Costs no query. */
  get transactions(): number {
    return Atomics.load(this.#transactions, 0);
  }

  /** Returns the rows of a query, which sees everything acknowledged to any thread. Throws `StoreUnavailable`. */
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

  /** Finishes accepted writes and closes the connection. */
  async close(): Promise<void> {
    await this.#writer.finish();
    // Callers that waited for a write may still read its result.
    await otherWork();
    if (this.#reader.isOpen) this.#reader.close();
    this.#writer.close();
  }
}
