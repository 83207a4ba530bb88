/**
 * The write connections of the SQLite files of a process, on one thread, so that a slow disk never blocks reads. Every thread that writes
 * has a port for each file. Jobs for a file that arrive together, from any ports, share a transaction. It imports nothing of the project,
 * because tests run it uncompiled.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parentPort, type MessagePort } from 'node:worker_threads';

/** `transactions`: one number, shared by all threads, that grows with each transaction before its jobs are answered. */
export type WriterOptions = Readonly<{
  path: string;
  synchronous: 'FULL' | 'NORMAL';
  busyTimeout: number;
  transactions: Int32Array<SharedArrayBuffer>;
}>;
/** One statement. `mustChange`: the job is refused if it changes no row. */
export type WriteStatement = Readonly<{ sql: string; params: readonly SQLInputValue[]; mustChange?: boolean }>;
/** Statements that are written all or none. */
export type WriteJob = readonly WriteStatement[];
export type Row = Record<string, SQLOutputValue>;
/** The rows of each statement (`RETURNING`), or the index of the refused statement and the reason. */
export type WriteResult = Readonly<{ rows: readonly (readonly Row[])[] } | { refusedAt: number; reason: string }>;
/** A job that fails because of a bug, such as a value of a type that SQLite does not support. */
export type BrokenJob = Readonly<{ broken: string }>;
/** A message from the thread's creator about one file: a new one, a port on which groups of jobs for it will arrive, or the request to close it. */
export type WriterMessage = Readonly<{ open: WriterOptions } | { path: string; port: MessagePort } | { close: string }>;
/** A message to the creator: after a transaction, once several ports lead to the file, or after a request to close it. */
export type WriterReport = Readonly<{ written: string } | { closed: string }>;
/**
 * The answer to a group: one result per job, or the error because of which nothing was written. `ownTransaction`: the number of the
 * transaction, unless it contained other groups.
 */
export type GroupAnswer = Readonly<
  { results: readonly (WriteResult | BrokenJob)[]; ownTransaction: number | undefined } | { failed: string }
>;

/** Primary key and unique constraints, which callers expect. */
const UNIQUE_VIOLATIONS = [1555, 2067];
const SQLITE_CONSTRAINT = 19;
/** How long a write waits for another program that locks a rebuildable file, in milliseconds. Commits wait for it, too. */
const REBUILDABLE_BUSY_TIMEOUT = 100;

type Group = Readonly<{ port: MessagePort; jobs: readonly WriteJob[] }>;

class WrittenFile {
  readonly #options: WriterOptions;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #ports = new Set<MessagePort>();
  /** Whether other threads than the owner have ever had a port. */
  #isShared = false;
  #groups: Group[] = [];

  constructor(options: WriterOptions) {
    const { path, synchronous, busyTimeout } = options;
    this.#options = options;
    this.#database = new DatabaseSync(path, { timeout: busyTimeout });
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
    if (synchronous === 'NORMAL') this.#database.exec(`PRAGMA busy_timeout = ${REBUILDABLE_BUSY_TIMEOUT}`);
  }

  connect(port: MessagePort): void {
    this.#isShared ||= this.#ports.size > 0;
    this.#ports.add(port);
    port.on('message', (jobs: readonly WriteJob[]) => {
      // Runs after the messages of the other ports have been received.
      if (this.#groups.push({ port, jobs }) === 1)
        setImmediate(() => withPath(this.#options.path, () => this.#runGroups()));
    });
    port.once('close', () => this.#ports.delete(port));
  }

  close(): void {
    this.#runGroups();
    if (this.#database.isOpen) this.#database.close();
    for (const port of this.#ports) port.close();
  }

  #runGroups(): void {
    const running = this.#groups;
    this.#groups = [];
    if (running.length === 0) return;
    const results = this.#runTransaction(running.map(({ jobs }) => jobs));
    if ('failed' in results) {
      for (const { port } of running) port.postMessage(results satisfies GroupAnswer);
      return;
    }
    const { transactions, path } = this.#options;
    const transaction = Atomics.add(transactions, 0, 1) + 1;
    const ownTransaction = running.length === 1 ? transaction : undefined;
    running.forEach(({ port }, index) =>
      port.postMessage({ results: results[index]!, ownTransaction } satisfies GroupAnswer),
    );
    if (this.#isShared) parentPort?.postMessage({ written: path } satisfies WriterReport);
  }

  #runTransaction(groups: readonly (readonly WriteJob[])[]): (WriteResult | BrokenJob)[][] | { failed: string } {
    try {
      this.#prepare('BEGIN IMMEDIATE').run();
      const results = groups.map((jobs) => jobs.map((job) => this.#runJob(job)));
      this.#prepare('COMMIT').run();
      return results;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  }

  /** A failed job does not affect others. Only an error of the whole file, such as a full disk, fails the group. */
  #runJob(job: WriteJob): WriteResult | BrokenJob {
    this.#prepare('SAVEPOINT job').run();
    const rows: Row[][] = [];
    try {
      for (const { sql, params, mustChange } of job) {
        const changed = this.#prepare(sql).all(...params);
        if (mustChange && changed.length === 0)
          return this.#undo({ refusedAt: rows.length, reason: 'nothing to change' });
        rows.push(changed);
      }
    } catch (error) {
      const { errcode, message } = error as { errcode?: number; message: string };
      if (errcode !== undefined && UNIQUE_VIOLATIONS.includes(errcode))
        return this.#undo({ refusedAt: rows.length, reason: message });
      if (errcode === undefined || (errcode & 0xff) === SQLITE_CONSTRAINT) return this.#undo({ broken: message });
      throw error;
    }
    this.#prepare('RELEASE job').run();
    return { rows };
  }

  #undo<Result>(result: Result): Result {
    this.#database.exec('ROLLBACK TO job; RELEASE job');
    return result;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) this.#prepared.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

const files = new Map<string, WrittenFile>();

parentPort?.on('message', (message: WriterMessage) => {
  if ('open' in message) {
    const { path } = message.open;
    withPath(path, () => files.set(path, new WrittenFile(message.open)));
  } else if ('port' in message) {
    const file = files.get(message.path);
    if (file) file.connect(message.port);
    else message.port.close();
  } else withPath(message.close, () => closeFile(message.close));
});

function closeFile(path: string): void {
  files.get(path)?.close();
  files.delete(path);
  parentPort?.postMessage({ closed: path } satisfies WriterReport);
  if (files.size === 0) parentPort?.close();
}

/** Names the file in an error that ends the thread, because only the message of the error is reported. */
function withPath(path: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
