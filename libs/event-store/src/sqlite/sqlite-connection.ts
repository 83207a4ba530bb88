import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { StoreUnavailable } from '../event-store.errors.js';
import type { Histogram } from '@keyfold/reporting';
import type { Row, WriteJob, WriteResult, GroupAnswer } from './sqlite-writer.worker.js';

/** How long to wait for another program that locks the file, in milliseconds. */
export const BUSY_TIMEOUT = 2_000;

/**
 * The access of one more thread to a file that the process has open. A message with it must transfer `port`. `transactions`: see
 * `WriterOptions`.
 */
export type SharedFile = Readonly<{ path: string; port: MessagePort; transactions: Int32Array<SharedArrayBuffer> }>;

/** The part of a connection that the adapters use. */
export type SqliteAccess = Pick<SqliteConnection, keyof SqliteConnection>;

/** One thread's connection to an open SQLite file. Reads are synchronous on this thread; the file's writer thread writes in groups. */
export class SqliteConnection {
  readonly path: string;
  protected readonly sharedTransactions: SharedFile['transactions'];
  readonly #reader: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #prepared = new Map<string, StatementSync>();

  constructor({ path, port, transactions }: SharedFile) {
    this.path = path;
    this.sharedTransactions = transactions;
    this.#reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
    this.#writer = new SqliteWriter(port, path);
  }

  /** Changes with every transaction of any thread, before its jobs are acknowledged. Costs no query. */
  get transactions(): number {
    return Atomics.load(this.sharedTransactions, 0);
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
  write(job: WriteJob, batches?: Histogram): Promise<WriteAnswer> {
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

/** `ownTransaction`: the number of the transaction (`transactions`) if all its jobs have the same `batches`, and so the same caller. */
type WriteAnswer = WriteResult & Readonly<{ ownTransaction: number | undefined }>;

type Waiting = Readonly<{
  job: WriteJob;
  batches: Histogram | undefined;
  resolve: (result: WriteAnswer) => void;
  reject: (error: Error) => void;
}>;

/** Maximum number of jobs in a group; limits the duration of a transaction. */
const GROUP_SIZE = 256;

/** Group commit: while a transaction is written, calls queue up, and the next one takes them all. A single caller never waits for others. */
class SqliteWriter {
  #waiting: Waiting[] = [];
  #group: Waiting[] = [];
  #closing = false;
  readonly #finished = Promise.withResolvers<void>();

  /** `port` leads to the thread that writes the file at `path`. The thread closes it when it ends. */
  constructor(
    private readonly port: MessagePort,
    private readonly path: string,
  ) {
    port.on('message', (answer: GroupAnswer) => this.#settle(answer));
    port.once('close', () => this.#fail());
  }

  /**
   * Runs the statements in one transaction, together with other queued jobs. Rejects with `StoreUnavailable` if nothing was written.
   * `batches` records how many of the jobs that pass it share a transaction.
   */
  write(job: WriteJob, batches?: Histogram): Promise<WriteAnswer> {
    if (this.#closing) return Promise.reject(new StoreUnavailable('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, batches, resolve, reject });
      if (this.#group.length === 0) this.#sendGroup();
    });
  }

  /** Accepts no more jobs and resolves when the accepted ones are done. */
  finish(): Promise<void> {
    this.#closing = true;
    if (this.#group.length === 0) this.#finished.resolve();
    return this.#finished.promise;
  }

  /** Closes the port. No job may be running. */
  close(): void {
    this.port.close();
  }

  #sendGroup(): void {
    this.#group = this.#waiting.splice(0, GROUP_SIZE);
    for (const [batches, jobs] of Map.groupBy(this.#group, (each) => each.batches)) batches?.observe(jobs.length);
    if (this.#group.length > 0) this.port.postMessage(this.#group.map(({ job }) => job));
    else if (this.#closing) this.#finished.resolve();
  }

  #settle(answer: GroupAnswer): void {
    const group = this.#group;
    if ('failed' in answer) {
      // The queued jobs would fail for the same reason.
      const failed = [...group, ...this.#waiting.splice(0)];
      this.#sendGroup();
      const error = new StoreUnavailable(`cannot write to ${this.path}: ${answer.failed}`);
      for (const { reject } of failed) reject(error);
    } else {
      this.#sendGroup();
      const isOwn = group.every(({ batches }) => batches === group[0]!.batches);
      const ownTransaction = isOwn ? answer.ownTransaction : undefined;
      group.forEach(({ resolve, reject }, index) => {
        const result = answer.results[index]!;
        if ('broken' in result) reject(new TypeError(result.broken));
        else resolve({ ...result, ownTransaction });
      });
    }
  }

  /** Rejects all jobs, present and future, because the thread ended. No statement can cause that. After `finish` nothing is queued. */
  #fail(): void {
    this.#closing = true;
    const error = new StoreUnavailable(`the writer of ${this.path} stopped: its thread ended`);
    for (const { reject } of [...this.#group, ...this.#waiting]) reject(error);
    this.#group = this.#waiting = [];
    this.#finished.resolve();
  }
}
