/**
 * The write connection of one SQLite file, on its own thread, so that a slow disk never blocks reads. It runs groups of jobs, each group
 * in one transaction. It imports nothing of the project, because tests run it uncompiled.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type WriterOptions = Readonly<{ path: string; synchronous: 'FULL' | 'NORMAL'; busyTimeout: number }>;
/** One statement. `mustChange`: the job is refused if it changes no row. */
export type WriteStatement = Readonly<{ sql: string; params: readonly SQLInputValue[]; mustChange?: boolean }>;
/** Statements that are written all or none. */
export type WriteJob = readonly WriteStatement[];
export type Row = Record<string, SQLOutputValue>;
/** The rows of each statement (`RETURNING`), or the index of the refused statement and the reason. */
export type WriteResult = Readonly<{ rows: readonly (readonly Row[])[] } | { refusedAt: number; reason: string }>;
/** A job that fails because of a bug, such as a value of a type that SQLite does not support. */
export type BrokenJob = Readonly<{ broken: string }>;
/** The answer to a group: one result per job, or the error because of which nothing was written. */
export type GroupAnswer = Readonly<{ results: readonly (WriteResult | BrokenJob)[] } | { failed: string }>;

/** Primary key and unique constraints, which callers expect. */
const UNIQUE_VIOLATIONS = [1555, 2067];
const SQLITE_CONSTRAINT = 19;
const { path, synchronous, busyTimeout } = workerData as WriterOptions;
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

parentPort?.on('message', (message: readonly WriteJob[] | 'close') => {
  if (message === 'close') {
    if (database.isOpen) database.close();
    parentPort?.close();
  } else {
    parentPort?.postMessage(runGroup(message));
  }
});

function runGroup(jobs: readonly WriteJob[]): GroupAnswer {
  try {
    begin.run();
    const results = jobs.map(runJob);
    commit.run();
    return { results };
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
