import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailable } from '../event-store.errors.js';
import { temporaryFolder } from '../../testing/open-sqlite.js';
import { SqliteConnection } from './sqlite-connection.js';
import { SqliteFile, SqliteWriterThread, UnusableFile, type SqliteSchema } from './sqlite-file.js';

const schema: SqliteSchema = {
  version: 2,
  synchronous: 'NORMAL',
  sql: 'CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT',
};
const insert = (text: string) => ({ sql: 'INSERT INTO notes (text) VALUES (?) RETURNING id', params: [text] });
const texts = (file: SqliteFile) => file.read('SELECT text FROM notes ORDER BY id').map(({ text }) => text);

describe('opening', () => {
  it('creates the tables once and keeps their rows', async () => {
    const path = newPath();
    const file = new SqliteFile(path, schema);
    await file.write([insert('one')]);
    await file.close();
    expect(texts(open(path))).toEqual(['one']);
  });

  it('refuses a file of a newer version, says what to do and does not change the file', () => {
    const path = newPath();
    run(path, 'CREATE TABLE accounts (id); PRAGMA user_version = 3');
    const before = readFileSync(path);
    expect(() => new SqliteFile(path, schema)).toThrow(UnusableFile);
    expect(() => new SqliteFile(path, schema)).toThrow(
      /has schema 3, but this version only supports schema 2\. Start the newer version again, or restore the backup/,
    );
    expect(readFileSync(path)).toEqual(before);
  });

  it('refuses a file that is not a database, names it and does not change it', () => {
    const path = newPath();
    const text = 'name: keyfold\n'.repeat(500);
    writeFileSync(path, text);
    expect(() => new SqliteFile(path, schema)).toThrow(UnusableFile);
    expect(() => new SqliteFile(path, schema)).toThrow(`cannot use ${path} as a database: file is not a database`);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('refuses a path in a folder that does not exist', () => {
    expect(() => new SqliteFile(join(temporaryFolder(), 'nowhere', 'file.db'), schema)).toThrow(UnusableFile);
  });
});

describe('a group of writes', () => {
  it('writes nothing of a refused job and keeps the others', async () => {
    const file = open();
    const results = await Promise.all([
      file.write([insert('first')]),
      file.write([insert('before'), insert('first')]),
      file.write([insert('second')]),
      file.write([{ sql: "UPDATE notes SET text = 'x' WHERE id = 99 RETURNING id", params: [], mustChange: true }]),
      file.write([insert('third'), insert('fourth')]),
    ]);
    expect(results.map((result) => ('rows' in result ? result.rows.length : result.refusedAt))).toEqual([
      1, 1, 1, 0, 2,
    ]);
    expect(results[1]).toMatchObject({ refusedAt: 1, reason: 'UNIQUE constraint failed: notes.text' });
    expect(texts(file)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('fails as a whole if a statement cannot run, and writes nothing', async () => {
    const file = open();
    // The first job is a group of its own; the others wait for it together.
    const results = await Promise.allSettled([
      file.write([insert('first')]),
      file.write([insert('second')]),
      file.write([{ sql: 'INSERT INTO nowhere VALUES (1)', params: [] }]),
      file.write([insert('third')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(results[1]).toHaveProperty('reason.name', 'StoreUnavailable');
    expect(texts(file)).toEqual(['first']);
    await file.write([insert('second')]);
    expect(texts(file)).toEqual(['first', 'second']);
  });

  it('takes more jobs than fit into one', async () => {
    const file = open();
    await Promise.all(Array.from({ length: 700 }, (_, index) => file.write([insert(`note ${index}`)])));
    expect(texts(file)).toEqual(Array.from({ length: 700 }, (_, index) => `note ${index}`));
  });

  it('is finished when the file is closed', async () => {
    const path = newPath();
    const file = open(path);
    const writes = Array.from({ length: 300 }, (_, index) => file.write([insert(`note ${index}`)]));
    await file.close();
    await Promise.all(writes);
    expect(texts(open(path))).toHaveLength(300);
    await expect(file.write([insert('late')])).rejects.toThrow(StoreUnavailable);
  });
});

describe('closing', () => {
  it('leaves the whole content in the file alone, without a write-ahead log', async () => {
    const path = newPath();
    const file = open(path);
    await file.write([insert('one')]);
    expect(texts(file)).toEqual(['one']);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await file.close();
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
    const copy = newPath();
    copyFileSync(path, copy);
    expect(texts(open(copy))).toEqual(['one']);
  });

  it('lets callers that wait for a write read its result', async () => {
    const file = open();
    const read = file.write([insert('one')]).then(() => texts(file));
    await file.close();
    expect(await read).toEqual(['one']);
    expect(() => texts(file)).toThrow(StoreUnavailable);
  });

  it('goes on reading while it finishes what was accepted', async () => {
    const file = open();
    const writes = Array.from({ length: 300 }, (_, index) => file.write([insert(`note ${index}`)]));
    const closed = file.close();
    await writes[0];
    expect(texts(file)).toContain('note 0');
    await closed;
  });

  it('may be asked for twice at once', async () => {
    const file = open();
    const write = file.write([insert('one')]);
    await Promise.all([file.close(), file.close()]);
    await write;
  });
});

describe('two files with one writer thread', () => {
  it('are written independently of a lock on one of them', async () => {
    const [first, second] = openTwo();
    const other = new DatabaseSync(second.path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const refused = expect(second.write([insert('locked')])).rejects.toThrow(
      `cannot write to ${second.path}: database is locked`,
    );
    await first.write([insert('one')]);
    await refused;
    other.exec('ROLLBACK');
    await second.write([insert('two')]);
    expect([texts(first), texts(second)]).toEqual([['one'], ['two']]);
  });

  it('close one after the other, and the second stores what is queued', async () => {
    const [first, second] = openTwo();
    const writes = Array.from({ length: 300 }, (_, index) => second.write([insert(`note ${index}`)]));
    await first.close();
    await Promise.all(writes);
    await second.write([insert('last')]);
    expect(texts(second)).toHaveLength(301);
    await second.close();
  });

  it('refuse a write through a connection that was shared after they were closed', async () => {
    const [first] = openTwo();
    await first.close();
    const late = new SqliteConnection(first.share());
    onTestFinished(() => late.close());
    await expect(late.write([insert('late')])).rejects.toThrow(StoreUnavailable);
  });
});

it('a write that must not be refused fails when it is', async () => {
  const file = open();
  expect(await file.writeAll([insert('one')])).toEqual([[{ id: 1 }]]);
  await expect(file.writeAll([insert('one')])).rejects.toThrow(StoreUnavailable);
});

it('a query that cannot run is a store that is not available', () => {
  expect(() => open().read('SELECT * FROM nowhere')).toThrow(StoreUnavailable);
});

const newPath = () => join(temporaryFolder(), 'file.db');

function openTwo(): [SqliteFile, SqliteFile] {
  const thread = new SqliteWriterThread();
  return [open(newPath(), thread), open(newPath(), thread)];
}

function open(path = newPath(), thread = new SqliteWriterThread()): SqliteFile {
  const file = new SqliteFile(path, schema, thread);
  onTestFinished(() => file.close());
  return file;
}

function run(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
