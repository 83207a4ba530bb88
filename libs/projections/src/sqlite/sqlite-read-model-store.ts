import { SqliteFile } from '@keyfold/event-store/sqlite';
import type { Loaded } from '../fold.js';
import { CheckpointStore, ReadModelStore, type Page, type ParkedStream } from '../read-model-store.js';
import { readModels, type ReadModel, type StreamRef } from '../read-model.js';

const tableOf = ({ name, schema }: ReadModel<unknown>) => `${name}_${schema}`;

/** Tables of the read models, the parked streams and the checkpoints. */
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
    stream TEXT PRIMARY KEY, partition TEXT NOT NULL, version INTEGER NOT NULL, error TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS checkpoints (
    reader TEXT NOT NULL, slot INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (reader, slot)) STRICT`;

export class SqliteReadModelStore extends ReadModelStore {
  constructor(private readonly file: SqliteFile) {
    super();
  }

  async get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>> {
    const documents = new Map<string, Loaded<unknown>>();
    for (const { stream, model } of refs) {
      const [row] = this.file.read(`SELECT version, state FROM ${tableOf(model)} WHERE stream = ?`, stream);
      if (row) documents.set(stream, { version: Number(row['version']), state: JSON.parse(String(row['state'])) });
    }
    return documents;
  }

  async put<State>({ stream, model }: StreamRef<State>, { version, state }: Loaded<State>): Promise<void> {
    const sql = `INSERT INTO ${tableOf(model)} (stream, version, place, state) VALUES (?, ?, ?, ?)
      ON CONFLICT (stream) DO UPDATE SET version = excluded.version, place = excluded.place, state = excluded.state
      WHERE excluded.version > version`;
    await this.file.writeAll([
      { sql, params: [stream, version, model.placeOf?.(state) ?? null, JSON.stringify(state)] },
    ]);
  }

  async list<State>(model: ReadModel<State>, offset: number, limit: number): Promise<Page<State>> {
    const listed = `FROM ${tableOf(model)} WHERE place IS NOT NULL`;
    const rows = this.file.read(`SELECT state ${listed} ORDER BY place LIMIT ? OFFSET ?`, limit, offset);
    const [count] = this.file.read(`SELECT count(*) AS total ${listed}`);
    return { items: rows.map(({ state }) => JSON.parse(String(state)) as State), total: Number(count!['total']) };
  }

  async park({ stream, partition, version, error, at }: ParkedStream): Promise<void> {
    const sql = 'INSERT INTO parked_streams VALUES (?, ?, ?, ?, ?) ON CONFLICT (stream) DO NOTHING';
    await this.file.writeAll([{ sql, params: [stream, partition, version, error, at] }]);
  }

  async unpark(stream: string): Promise<void> {
    await this.file.writeAll([{ sql: 'DELETE FROM parked_streams WHERE stream = ?', params: [stream] }]);
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
}

export class SqliteCheckpointStore extends CheckpointStore {
  constructor(private readonly file: SqliteFile) {
    super();
  }

  async position(reader: string, slot: number): Promise<number> {
    const [row] = this.file.read('SELECT position FROM checkpoints WHERE reader = ? AND slot = ?', reader, slot);
    return Number(row?.['position'] ?? 0);
  }

  async advance(reader: string, slot: number, position: number): Promise<void> {
    const sql = `INSERT INTO checkpoints VALUES (?, ?, ?)
      ON CONFLICT (reader, slot) DO UPDATE SET position = max(position, excluded.position)`;
    await this.file.writeAll([{ sql, params: [reader, slot, position] }]);
  }
}
