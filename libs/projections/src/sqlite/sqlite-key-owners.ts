import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import type { KeyOwner } from '../key-owners/key-owner.js';

/** The number rises only together with the schema number of the key rings, so that the projector fills the new table. */
const TABLE = 'ssh_key_owners_1';

export const keyOwnersTable = `
  CREATE TABLE IF NOT EXISTS ${TABLE} (
    fingerprint TEXT, account INTEGER, md5 TEXT NOT NULL, PRIMARY KEY (fingerprint, account)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ${TABLE}_md5 ON ${TABLE} (md5, account)`;

// One statement for all entries, because each statement crosses to the writer thread.
const ADD = `INSERT OR IGNORE INTO ${TABLE} (fingerprint, md5, account)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;

const HAS = `SELECT 1 FROM ${TABLE} WHERE fingerprint = ? AND account = ? AND md5 = ?`;

/** The index of SSH keys, in the database of the views. */
export class SqliteKeyOwners {
  constructor(private readonly file: SqliteConnection) {}

  async add(owners: readonly KeyOwner[]): Promise<void> {
    const rows = owners.map(({ fingerprint, md5, accountId }) => [fingerprint, md5, accountId]);
    await this.file.writeAll([{ sql: ADD, params: [JSON.stringify(rows)] }]);
  }

  missing(owners: readonly KeyOwner[]): KeyOwner[] {
    return owners.filter(
      ({ fingerprint, accountId, md5 }) => this.file.read(HAS, fingerprint, accountId, md5).length === 0,
    );
  }

  find(fingerprint: string, after: number, limit: number): number[] {
    const column = fingerprint.startsWith('MD5:') ? 'md5' : 'fingerprint';
    const sql = `SELECT account FROM ${TABLE} WHERE ${column} = ? AND account > ? ORDER BY account LIMIT ?`;
    return this.file.read(sql, fingerprint, after, limit).map((row) => Number(row['account']));
  }
}
