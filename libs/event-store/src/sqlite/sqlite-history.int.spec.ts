import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { newCommit, unused } from '../../testing/new-commit.js';
import { temporaryFolder } from '../../testing/open-sqlite.js';
import { cursorAt, type HistoryRange } from '../event-store.js';
import { eventStoreSchema, SqliteEventStore } from './sqlite-event-store.js';
import { SqliteFile } from './sqlite-file.js';

const ACCOUNT = 'SEARCH commits USING INDEX commits_partition_at (partition=? AND at>? AND at<?)';
const EVERYONE = 'SEARCH commits USING INDEX commits_at (at>? AND at<?)';

it.each<[string, HistoryRange, string]>([
  ['of an account', { partition: '7' }, ACCOUNT],
  ['of an account before a cursor', { partition: '7', before: { at: 9, key: 3 } }, ACCOUNT],
  ['of an account and a period', { partition: '7', from: 1, before: cursorAt(9) }, ACCOUNT],
  ['of all accounts', {}, EVERYONE],
  ['of all accounts and a period', { from: 1, before: cursorAt(9) }, EVERYONE],
])('a page of the history %s seeks in an index and sorts nothing', async (_, range, plan) => {
  const { file, path } = openNew();
  const queries: [string, SQLInputValue[]][] = [];
  const read = file.read.bind(file);
  file.read = (sql, ...params) => {
    queries.push([sql, params]);
    return read(sql, ...params);
  };
  const store = new SqliteEventStore(file);
  queries.length = 0;
  await store.readHistory(range, 50);
  expect(queries).toHaveLength(1);
  const [[sql, params]] = queries as [[string, SQLInputValue[]]];
  const database = new DatabaseSync(path, { readOnly: true });
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
  database.close();
  expect(steps.map(({ detail }) => detail)).toEqual([plan]);
});

it('a file of a program without these indexes gets them at its first start, and its history is complete', async () => {
  const { file, path } = openNew();
  const store = new SqliteEventStore(file);
  for (let at = 1; at <= 3; at++) await store.append(newCommit(unused('session'), 1, { partition: '7', at }));
  await file.close();
  const database = new DatabaseSync(path);
  database.exec('DROP INDEX commits_partition_at; DROP INDEX commits_at');
  database.close();

  const reopened = new SqliteEventStore(open(path));
  for (const range of [{}, { partition: '7' }])
    expect((await reopened.readHistory(range, 9)).map(({ cursor }) => cursor.at)).toEqual([3, 2, 1]);
});

function openNew(): { file: SqliteFile; path: string } {
  const path = join(temporaryFolder(), 'keyfold.db');
  return { file: open(path), path };
}

function open(path: string): SqliteFile {
  const file = new SqliteFile(path, eventStoreSchema);
  onTestFinished(() => file.close());
  return file;
}
