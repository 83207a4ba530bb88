import { setImmediate } from 'node:timers/promises';
import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import type { Loaded } from '../fold.js';
import { ReadModelStore, type Page, type ParkedStream, type StoredDocument } from '../read-model-store.js';
import { readModelOf, readModels, type ReadModel } from '../read-model.js';
import type { StreamRef } from '../stream-ref.js';

/** Entries of a list that are read in one turn of the event loop. */
const PIECE = 50;

const tableOf = ({ name, schema }: ReadModel<unknown>) => `${name}_${schema}`;

/** Tables of the read models and of the parked streams. The sort key is the column `place`. */
export const readModelTables = `
  ${readModels
    .map(tableOf)
    .map(
      (table) => `
  CREATE TABLE IF NOT EXISTS ${table} (
    stream TEXT PRIMARY KEY, version INTEGER NOT NULL, place INTEGER, state TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS ${table}_places ON ${table} (place) WHERE place IS NOT NULL;`,
    )
    .join('')}
  CREATE TABLE IF NOT EXISTS parked_streams (
    stream TEXT PRIMARY KEY, partition TEXT NOT NULL, version INTEGER NOT NULL, error TEXT NOT NULL, at INTEGER NOT NULL) STRICT`;

export class SqliteReadModelStore extends ReadModelStore {
  #pieces: Promise<void> = Promise.resolve();

  constructor(private readonly file: SqliteConnection) {
    super();
  }

  async get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>> {
    const documents = new Map<string, Loaded<unknown>>();
    for (const ref of refs) {
      const { stream } = ref;
      const sql = `SELECT version, state FROM ${tableOf(readModelOf(ref))} WHERE stream = ?`;
      const [row] = this.file.read(sql, stream);
      if (row) documents.set(stream, { version: Number(row['version']), state: JSON.parse(String(row['state'])) });
    }
    return documents;
  }

  put<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void> {
    return this.#write(ref, document, '>');
  }

  replace<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void> {
    return this.#write(ref, document, '>=');
  }

  /** Reads a long list in pieces. States that are added or removed meanwhile may be missing; every other state is listed once. */
  async list<State>(
    model: ReadModel<State>,
    offset: number,
    limit: number,
    takes: (state: State) => boolean = () => true,
  ): Promise<Page<State>> {
    const listed = `FROM ${tableOf(model)} WHERE place IS NOT NULL`;
    const sql = `SELECT place, state ${listed} AND place > ? ORDER BY place LIMIT ? OFFSET ?`;
    const [count] = this.file.read(`SELECT count(*) AS total ${listed}`);
    const page = { items: [] as State[], total: Number(count!['total']) };
    let [after, skip] = [Number.MIN_SAFE_INTEGER, offset];
    for (;;) {
      const rows = this.file.read(sql, after, Math.min(PIECE, limit - page.items.length), skip);
      for (const row of rows) {
        const state = JSON.parse(String(row['state'])) as State;
        if (!takes(state)) return page;
        page.items.push(state);
      }
      if (rows.length < PIECE) return page;
      [after, skip] = [Number(rows.at(-1)!['place']), 0];
      await this.#turnOfPiece();
    }
  }

  async documents(model: ReadModel<unknown>, after: string, limit: number): Promise<StoredDocument[]> {
    const sql = `SELECT stream, version, place, state FROM ${tableOf(model)} WHERE stream > ? ORDER BY stream LIMIT ?`;
    return this.file.read(sql, after, limit).map((row) => ({
      stream: String(row['stream']),
      version: Number(row['version']),
      sortKey: row['place'] === null ? null : Number(row['place']),
      state: JSON.parse(String(row['state'])),
    }));
  }

  async remove(ref: StreamRef<unknown>, version: number): Promise<void> {
    const sql = `DELETE FROM ${tableOf(readModelOf(ref))} WHERE stream = ? AND version = ?`;
    await this.file.writeAll([{ sql, params: [ref.stream, version] }]);
  }

  async park({ stream, partition, version, error, at }: ParkedStream): Promise<void> {
    const sql = 'INSERT OR REPLACE INTO parked_streams VALUES (?, ?, ?, ?, ?)';
    await this.file.writeAll([{ sql, params: [stream, partition, version, error, at] }]);
  }

  async unpark({ stream, version, at }: ParkedStream): Promise<void> {
    const sql = 'DELETE FROM parked_streams WHERE stream = ? AND version = ? AND at = ?';
    await this.file.writeAll([{ sql, params: [stream, version, at] }]);
  }

  async parked(): Promise<ParkedStream[]> {
    return this.file.read('SELECT * FROM parked_streams ORDER BY at').map((row) => ({
      stream: String(row['stream']),
      partition: String(row['partition']),
      version: Number(row['version']),
      error: String(row['error']),
      at: Number(row['at']),
    }));
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /** Resolves in a turn of the event loop in which no other list reads a further piece. */
  #turnOfPiece(): Promise<void> {
    return (this.#pieces = this.#pieces.then(() => setImmediate()));
  }

  /** `guard`: how the new version must compare with the stored one. */
  async #write<State>(ref: StreamRef<State>, { version, state }: Loaded<State>, guard: '>' | '>='): Promise<void> {
    const model = readModelOf(ref);
    const sql = `INSERT INTO ${tableOf(model)} (stream, version, place, state) VALUES (?, ?, ?, ?)
      ON CONFLICT (stream) DO UPDATE SET version = excluded.version, place = excluded.place, state = excluded.state
      WHERE excluded.version ${guard} version`;
    await this.file.writeAll([
      { sql, params: [ref.stream, version, model.sortKeyOf?.(state) ?? null, JSON.stringify(state)] },
    ]);
  }
}
