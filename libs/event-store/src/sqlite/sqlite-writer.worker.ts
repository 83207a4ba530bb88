/**
 * The write connection of one SQLite file, on its own thread, so that a slow disk never blocks reads. Every thread that writes has a port
 * to it. Jobs that arrive together, from any ports, share a transaction. It imports nothing of the project, because tests run it uncompiled.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

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
/** A message from the thread's creator: a port on which groups of jobs will arrive, or the request to close the file. */
export type WriterMessage = Readonly<{ port: MessagePort }> | 'close';
/** The answer to a group: one result per job, or the error because of which nothing was written. */
export type GroupAnswer = Readonly<{ results: readonly (WriteResult | BrokenJob)[] } | { failed: string }>;

/** Primary key and unique constraints, which callers expect. */
const UNIQUE_VIOLATIONS = [1555, 2067];
const SQLITE_CONSTRAINT = 19;
const { path, synchronous, busyTimeout, transactions } = workerData as WriterOptions;
const database = new DatabaseSync(path, { timeout: busyTimeout });
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);

const prepared = new Map<string, StatementSync>();
function prepare(sql: string): StatementSync {
  let statement = prepared.get(sql);
  if (!statement) prepared.set(sql, (statement = database.prepare(sql)));
  return statement;
}
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const savepoint = database.prepare('SAVEPOINT job');
const release = database.prepare('RELEASE job');

type Group = Readonly<{ port: MessagePort; jobs: readonly WriteJob[] }>;
const ports = new Set<MessagePort>();
/** Whether other threads than the owner have ever had a port. */
let isShared = false;
let groups: Group[] = [];

parentPort?.on('message', (message: WriterMessage) => {
  if (message === 'close') close();
  else connect(message.port);
});

function connect(port: MessagePort): void {
  isShared ||= ports.size > 0;
  ports.add(port);
  port.on('message', (jobs: readonly WriteJob[]) => {
    // Runs after the messages of the other ports have been received.
    if (groups.push({ port, jobs }) === 1) setImmediate(runGroups);
  });
  port.once('close', () => ports.delete(port));
}

function close(): void {
  runGroups();
  if (database.isOpen) database.close();
  for (const port of ports) port.close();
  parentPort?.close();
}

function runGroups(): void {
  const running = groups;
  groups = [];
  if (running.length === 0) return;
  const results = runTransaction(running.map(({ jobs }) => jobs));
  if ('failed' in results) {
    for (const { port } of running) port.postMessage(results satisfies GroupAnswer);
    return;
  }
  Atomics.add(transactions, 0, 1);
  running.forEach(({ port }, index) => port.postMessage({ results: results[index]! } satisfies GroupAnswer));
  if (isShared) parentPort?.postMessage('written');
}

function runTransaction(groups: readonly (readonly WriteJob[])[]): (WriteResult | BrokenJob)[][] | { failed: string } {
  try {
    begin.run();
    const results = groups.map((jobs) => jobs.map(runJob));
    commit.run();
    return results;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** A failed job does not affect others. Only an error of the whole file, such as a full disk, fails the group. */
function runJob(job: WriteJob): WriteResult | BrokenJob {
  savepoint.run();
  const rows: Row[][] = [];
  try {
    for (const { sql, params, mustChange } of job) {
      const changed = prepare(sql).all(...params);
      if (mustChange && changed.length === 0) return undo({ refusedAt: rows.length, reason: 'nothing to change' });
      rows.push(changed);
    }
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    if (errcode !== undefined && UNIQUE_VIOLATIONS.includes(errcode))
      return undo({ refusedAt: rows.length, reason: message });
    if (errcode === undefined || (errcode & 0xff) === SQLITE_CONSTRAINT) return undo({ broken: message });
    throw error;
  }
  release.run();
  return { rows };
}

function undo<Result>(result: Result): Result {
  database.exec('ROLLBACK TO job; RELEASE job');
  return result;
}
