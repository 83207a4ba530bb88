import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Loaded } from '../loading/fold.js';
import type { StreamRef } from '../loading/stream-ref.js';
import type { KeyOwner } from '../projecting/key-owners.js';
import {
  ReadModelStore,
  type DueStream,
  type ListSelection,
  type Page,
  type ParkedStream,
  type StoredDocument,
  type Unexpired,
} from '../read-model-store.js';
import { foldCase, formerNamesOf, readModelOf, readModels, type ReadModel } from '../read-model.js';
import { selectedPlaces } from './list-search.js';

/** Entries of a list that are read in one iteration of the event loop. */
const PIECE = 50;
const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;

/** Reads at most `most` rows after the `last` one and after `skip` others. */
type ReadPiece = (last: Row | undefined, most: number, skip: number) => Row[];
type Row = ReturnType<SqliteConnection['read']>[number];

const tableOf = ({ name, schema }: ReadModel<unknown>) => `${name}_${schema}`;

const indexOf = (table: string, name: string, columns: string) =>
  `CREATE INDEX IF NOT EXISTS ${table}_${name} ON ${table} (${columns}) WHERE place IS NOT NULL`;

/** The columns of the index of a list, which also counts it. */
const listedBy = ({ due, textOf }: ReadModel<unknown>) => (due ? 'place, stream' : textOf ? 'place, text' : 'place');

/** A model that expires is listed by partition, too. */
function createTable(model: ReadModel<unknown>): string {
  const table = tableOf(model);
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (stream TEXT PRIMARY KEY, partition TEXT NOT NULL, version INTEGER NOT NULL,
      place INTEGER, state TEXT NOT NULL${model.textOf ? ', text TEXT' : ''}) STRICT`,
    ...(model.sortKeyOf ? [indexOf(table, 'places', listedBy(model))] : []),
    ...(model.expires ? [indexOf(table, 'partitions', 'partition, place')] : []),
  ].join(';\n');
}

/** The number rises only together with the schema number of the key rings, so that the projector fills the new table. */
const KEY_OWNERS = 'ssh_key_owners_1';

/** Two rows for each key: random inserts into a small tree of integers cost a quarter of those into a tree of texts. */
const keyOwnersTable = `
  CREATE TABLE IF NOT EXISTS ${KEY_OWNERS} (prefix INTEGER, account INTEGER, PRIMARY KEY (prefix, account)) STRICT, WITHOUT ROWID`;

// One statement for all rows, because each statement crosses to the writer thread. Sorted rows meet each page of the tree once.
const ADD_KEY_OWNERS = `INSERT OR IGNORE INTO ${KEY_OWNERS} (prefix, account) SELECT value ->> 0, value ->> 1 FROM json_each(?) ORDER BY 1`;
const REMOVE_KEY_OWNERS = `DELETE FROM ${KEY_OWNERS} WHERE (prefix, account) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`;

/** Tables of the read models, of the index of SSH keys and of the parked streams. The sort key is the column `place`. */
export const readModelTables = `
  ${readModels.map(createTable).join(';\n')};
  ${keyOwnersTable};
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
    { search = '', descending = false }: ListSelection = {},
  ): Promise<Page<State>> {
    if (search !== '') return this.#search(model, { search, descending }, offset, limit, takes);
    const listed = `FROM ${tableOf(model)} WHERE place IS NOT NULL`;
    const [beyond, order, start] = descending ? ['<', 'DESC', MAX_SAFE_INTEGER] : ['>', 'ASC', MIN_SAFE_INTEGER];
    const sql = `SELECT place, state ${listed} AND place ${beyond} ? ORDER BY place ${order} LIMIT ? OFFSET ?`;
    const [count] = this.file.read(`SELECT count(*) AS total ${listed}`);
    const piece: ReadPiece = (last, most, skip) => this.file.read(sql, Number(last?.['place'] ?? start), most, skip);
    return { items: await this.#readPieces(piece, offset, limit, takes), total: Number(count!['total']) };
  }

  /** Reads a long list in pieces, like `list`. Entries that expire in the same second follow in the order of their first write. */
  async listUnexpired<State>(
    model: ReadModel<State>,
    { after, partition }: Unexpired,
    offset: number,
    limit: number,
  ): Promise<Page<State>> {
    const params = partition === undefined ? [after] : [after, partition];
    const listed = `FROM ${tableOf(model)} WHERE place > ? ${partition === undefined ? '' : 'AND partition = ?'}`;
    const sql = `SELECT place, rowid, state ${listed} AND (place, rowid) < (?, ?) ORDER BY place DESC, rowid DESC LIMIT ? OFFSET ?`;
    const [count] = this.file.read(`SELECT count(*) AS total ${listed}`, ...params);
    const piece: ReadPiece = (last, most, skip) => {
      const before = [last?.['place'], last?.['rowid']].map((value) => Number(value ?? Number.MAX_SAFE_INTEGER));
      return this.file.read(sql, ...params, ...before, most, skip);
    };
    return { items: await this.#readPieces(piece, offset, limit), total: Number(count!['total']) };
  }

  /** Walks the whole list for the number of entries that match, and reads the states of the page on the way. */
  async #search<State>(
    model: ReadModel<State>,
    selection: Required<ListSelection>,
    offset: number,
    limit: number,
    takes: (state: State) => boolean,
  ): Promise<Page<State>> {
    const items: State[] = [];
    const table = tableOf(model);
    let [total, end] = [0, offset + limit];
    for (const places of selectedPlaces(this.file, table, selection)) {
      for (const place of places) {
        if (total >= offset && total < end) {
          const [row] = this.file.read(`SELECT state FROM ${table} WHERE place = ?`, place);
          // An entry that leaves the list meanwhile has no state.
          const state = row && (JSON.parse(String(row['state'])) as State);
          if (state && takes(state)) items.push(state);
          else if (state) end = total;
          if (items.length % PIECE === 0) await this.#turnOfPiece();
        }
        total++;
      }
      await this.#turnOfPiece();
    }
    return { items, total };
  }

  /** Reads up to `limit` states, in one iteration of the event loop after the other. */
  async #readPieces<State>(
    read: ReadPiece,
    offset: number,
    limit: number,
    takes: (state: State) => boolean = () => true,
  ): Promise<State[]> {
    const items: State[] = [];
    let rows = read(undefined, Math.min(PIECE, limit), offset);
    for (;;) {
      for (const row of rows) {
        const state = JSON.parse(String(row['state'])) as State;
        if (!takes(state)) return items;
        items.push(state);
      }
      if (rows.length < PIECE) return items;
      await this.#turnOfPiece();
      rows = read(rows.at(-1), Math.min(PIECE, limit - items.length), 0);
    }
  }

  async listDue(
    model: ReadModel<unknown>,
    until: number,
    limit: number,
    after?: DueStream,
  ): Promise<readonly DueStream[]> {
    const sql = `SELECT stream, partition, place FROM ${tableOf(model)}
      WHERE place <= ? AND (place, stream) > (?, ?) ORDER BY place, stream LIMIT ?`;
    const from = [after?.at ?? Number.MIN_SAFE_INTEGER, after?.stream ?? ''] as const;
    return this.file.read(sql, until, ...from, limit).map((row) => ({
      stream: String(row['stream']),
      partition: String(row['partition']),
      at: Number(row['place']),
    }));
  }

  addKeyOwners(owners: readonly KeyOwner[]): Promise<void> {
    return this.#changeKeyOwners(ADD_KEY_OWNERS, owners);
  }

  removeKeyOwners(owners: readonly KeyOwner[]): Promise<void> {
    return this.#changeKeyOwners(REMOVE_KEY_OWNERS, owners);
  }

  async missingKeyOwners(owners: readonly KeyOwner[]): Promise<KeyOwner[]> {
    const sql = `SELECT 1 FROM ${KEY_OWNERS} WHERE prefix = ? AND account = ?`;
    const has = (prefix: number, accountId: number) => this.file.read(sql, prefix, accountId).length > 0;
    return owners.filter(({ prefixes, accountId }) => !prefixes.every((prefix) => has(prefix, accountId)));
  }

  async keyOwners(prefix: number, after: number, limit: number): Promise<readonly number[]> {
    const sql = `SELECT account FROM ${KEY_OWNERS} WHERE prefix = ? AND account > ? ORDER BY account LIMIT ?`;
    return this.file.read(sql, prefix, after, limit).map((row) => Number(row['account']));
  }

  async documents(model: ReadModel<unknown>, after: string, limit: number): Promise<StoredDocument[]> {
    const sql = `SELECT * FROM ${tableOf(model)} WHERE stream > ? ORDER BY stream LIMIT ?`;
    return this.file.read(sql, after, limit).map((row) => ({
      stream: String(row['stream']),
      version: Number(row['version']),
      sortKey: row['place'] === null ? null : Number(row['place']),
      text: typeof row['text'] === 'string' ? row['text'] : null,
      state: JSON.parse(String(row['state'])),
    }));
  }

  async remove(ref: StreamRef<unknown>, version: number): Promise<void> {
    const sql = `DELETE FROM ${tableOf(readModelOf(ref))} WHERE stream = ? AND version = ?`;
    await this.file.writeAll([{ sql, params: [ref.stream, version] }]);
  }

  async removeFormer(refs: readonly StreamRef<unknown>[]): Promise<void> {
    const writes = refs.flatMap((ref) =>
      formerNamesOf(readModelOf(ref))
        .filter((table) => this.#hasTable(table))
        .map((table) => ({ sql: `DELETE FROM ${table} WHERE stream = ?`, params: [ref.stream] })),
    );
    if (writes.length > 0) await this.file.writeAll(writes);
  }

  async park({ stream, partition, version, error, at }: ParkedStream): Promise<void> {
    const sql = 'INSERT OR REPLACE INTO parked_streams VALUES (?, ?, ?, ?, ?)';
    await this.file.writeAll([{ sql, params: [stream, partition, version, error, at] }]);
  }

  async unpark({ stream, version, at }: ParkedStream): Promise<void> {
    const sql = 'DELETE FROM parked_streams WHERE stream = ? AND version = ? AND at = ?';
    await this.file.writeAll([{ sql, params: [stream, version, at] }]);
  }

  async parked(stream?: string): Promise<ParkedStream[]> {
    const sql = 'SELECT * FROM parked_streams WHERE stream = ifnull(?, stream) ORDER BY at';
    return this.file.read(sql, stream ?? null).map(parkedStream);
  }

  async parkedPage(offset: number, limit: number): Promise<Page<ParkedStream>> {
    const [count] = this.file.read('SELECT count(*) AS total FROM parked_streams');
    const rows = this.file.read('SELECT * FROM parked_streams ORDER BY at, stream LIMIT ? OFFSET ?', limit, offset);
    return { items: rows.map(parkedStream), total: Number(count!['total']) };
  }

  close(): Promise<void> {
    return this.file.close();
  }

  #hasTable(name: string): boolean {
    return this.file.read("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name).length > 0;
  }

  /** Resolves in an iteration of the event loop in which no other list reads a further piece. */
  #turnOfPiece(): Promise<void> {
    return (this.#pieces = this.#pieces.then(() => setImmediate()));
  }

  async #changeKeyOwners(sql: string, owners: readonly KeyOwner[]): Promise<void> {
    if (owners.length === 0) return;
    const rows = owners.flatMap(({ prefixes, accountId }) => prefixes.map((prefix) => [prefix, accountId]));
    await this.file.writeAll([{ sql, params: [JSON.stringify(rows)] }]);
  }

  /** `guard`: how the new version must compare with the stored one. */
  async #write<State>(ref: StreamRef<State>, { version, state }: Loaded<State>, guard: '>' | '>='): Promise<void> {
    const model = readModelOf(ref);
    const place = model.sortKeyOf?.(state) ?? null;
    const written = {
      version,
      place,
      state: JSON.stringify(state),
      ...(model.textOf && { text: place === null ? null : foldCase(model.textOf(state)) }),
    };
    const columns = Object.keys(written);
    const sql = `INSERT INTO ${tableOf(model)} (stream, partition, ${columns.join(', ')})
      VALUES (?, ?, ${columns.map(() => '?').join(', ')})
      ON CONFLICT (stream) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
      WHERE excluded.version ${guard} version`;
    await this.file.writeAll([{ sql, params: [ref.stream, ref.partition, ...Object.values(written)] }]);
  }
}

const parkedStream = (row: Row): ParkedStream => ({
  stream: String(row['stream']),
  partition: String(row['partition']),
  version: Number(row['version']),
  error: String(row['error']),
  at: Number(row['at']),
});
