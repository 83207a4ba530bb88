import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import type { KeyOwner } from '../key-owners/key-owner.js';

/** The number rises only together with the schema number of the key rings, so that the projector fills the new table. */
const TABLE = 'ssh_key_owners_1';

/** Two rows for each key: random inserts into a small tree of integers cost a quarter of those into a tree of texts. */
export const keyOwnersTable = `
  CREATE TABLE IF NOT EXISTS ${TABLE} (prefix INTEGER, account INTEGER, PRIMARY KEY (prefix, account)) STRICT, WITHOUT ROWID`;

// One statement for all rows, because each statement crosses to the writer thread. Sorted rows meet each page of the tree once.
const ADD = `INSERT OR IGNORE INTO ${TABLE} (prefix, account) SELECT value ->> 0, value ->> 1 FROM json_each(?) ORDER BY 1`;
const FIND = `SELECT account FROM ${TABLE} WHERE prefix = ? AND account > ? ORDER BY account LIMIT ?`;
const HAS = `SELECT 1 FROM ${TABLE} WHERE prefix = ? AND account = ?`;

/** The index of SSH keys, in the database of the views. */
export class SqliteKeyOwners {
  constructor(private readonly file: SqliteConnection) {}

  async add(owners: readonly KeyOwner[]): Promise<void> {
    if (owners.length === 0) return;
    const rows = owners.flatMap(({ prefixes, accountId }) => prefixes.map((prefix) => [prefix, accountId]));
    await this.file.writeAll([{ sql: ADD, params: [JSON.stringify(rows)] }]);
  }

  missing(owners: readonly KeyOwner[]): KeyOwner[] {
    const has = (prefix: number, accountId: number) => this.file.read(HAS, prefix, accountId).length > 0;
    return owners.filter(({ prefixes, accountId }) => !prefixes.every((prefix) => has(prefix, accountId)));
  }

  find(prefix: number, after: number, limit: number): number[] {
    return this.file.read(FIND, prefix, after, limit).map((row) => Number(row['account']));
  }
}
