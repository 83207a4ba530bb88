/**
 * The write connection of one SQLite file, in a thread of its own so that a slow disk never stops reads. It knows nothing of what
 * it writes: it runs groups of jobs, each group in one transaction. It imports nothing of the project, because it runs both
 * compiled and, in tests, as it stands.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type WriterOptions = Readonly<{ path: string; synchronous: 'FULL' | 'NORMAL'; busyTimeout: number }>;
/** One statement; `mustChange`: the job is refused when it changes no row. */
export type WriteStatement = Readonly<{ sql: string; params: readonly SQLInputValue[]; mustChange?: boolean }>;
/** Statements that are written together or not at all. */
export type WriteJob = readonly WriteStatement[];
export type Row = Record<string, SQLOutputValue>;
/** Rows of each statement (`RETURNING`), or the index of the statement that refused the job and why. */
export type WriteResult = Readonly<{ rows: readonly (readonly Row[])[] } | { refusedAt: number; reason: string }>;
/** The answer to a group: a result a job, or the error for which nothing of the group was written. */
export type GroupAnswer = Readonly<{ results: readonly WriteResult[] } | { failed: string }>;

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
    database.close();
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

function runJob(job: WriteJob): WriteResult {
  savepoint.run();
  const rows: Row[][] = [];
  for (const [index, { sql, params, mustChange }] of job.entries()) {
    const reason = runStatement(prepare(sql), params, rows);
    if (reason === undefined && !(mustChange && rows[index]?.length === 0)) continue;
    database.exec('ROLLBACK TO job; RELEASE job');
    return { refusedAt: index, reason: reason ?? 'nothing to change' };
  }
  release.run();
  return { rows };
}

/** Collects the rows of one statement; a violated constraint is a reason, every other error fails the group. */
function runStatement(statement: StatementSync, params: readonly SQLInputValue[], rows: Row[][]): string | undefined {
  try {
    rows.push(statement.all(...params));
    return undefined;
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    if (errcode === undefined || (errcode & 0xff) !== SQLITE_CONSTRAINT) throw error;
    return message;
  }
}
