import type { SqliteAccess } from '@keyfold/event-store/sqlite';
import { ParkedAccounts, type ParkedAccount } from '../relay/parked-accounts.js';

/** The tables of parked accounts: of the relay of messages, and of that to OpenList. */
export type ParkedAccountsName = 'parked_relays' | 'parked_mirrors';

/** Returns the tables, which belong in the file that also contains the checkpoints of the relay. */
export const parkedAccountsTable = (name: ParkedAccountsName) => `CREATE TABLE IF NOT EXISTS ${name} (
    slot INTEGER NOT NULL, partition TEXT NOT NULL, position INTEGER NOT NULL, error TEXT NOT NULL, at INTEGER NOT NULL,
    epoch INTEGER NOT NULL, PRIMARY KEY (slot, partition)) STRICT;
  CREATE TABLE IF NOT EXISTS ${name}_retries (slot INTEGER NOT NULL, partition TEXT NOT NULL, PRIMARY KEY (slot, partition)) STRICT`;

export class SqliteParkedAccounts extends ParkedAccounts {
  constructor(
    private readonly file: SqliteAccess,
    private readonly name: ParkedAccountsName,
  ) {
    super();
  }

  async park({ slot, partition, position, error, at, epoch }: ParkedAccount): Promise<void> {
    const sql = `INSERT INTO ${this.name} VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (slot, partition) DO UPDATE SET position = excluded.position, error = excluded.error, at = excluded.at,
        epoch = excluded.epoch WHERE excluded.epoch >= epoch`;
    await this.file.writeAll([{ sql, params: [slot, partition, position, error, at, epoch] }]);
  }

  async unpark({ slot, partition, position, epoch }: ParkedAccount): Promise<void> {
    const sql = `DELETE FROM ${this.name} WHERE slot = ? AND partition = ? AND position = ? AND epoch = ?`;
    await this.file.writeAll([{ sql, params: [slot, partition, position, epoch] }]);
  }

  async all(slot?: number): Promise<ParkedAccount[]> {
    const rows =
      slot === undefined
        ? this.file.read(`SELECT * FROM ${this.name} ORDER BY at`)
        : this.file.read(`SELECT * FROM ${this.name} WHERE slot = ? ORDER BY at`, slot);
    return rows.map(parkedAccount);
  }

  async page(offset: number, limit: number): Promise<Readonly<{ items: ParkedAccount[]; total: number }>> {
    const [count] = this.file.read(`SELECT count(*) AS total FROM ${this.name}`);
    const ordered = `SELECT * FROM ${this.name} ORDER BY at, slot, partition LIMIT ? OFFSET ?`;
    return { items: this.file.read(ordered, limit, offset).map(parkedAccount), total: Number(count!['total']) };
  }

  async requestRetry(partition: string): Promise<boolean> {
    const [parked] = this.file.read(`SELECT slot FROM ${this.name} WHERE partition = ?`, partition);
    if (!parked) return false;
    const sql = `INSERT INTO ${this.name}_retries VALUES (?, ?) ON CONFLICT (slot, partition) DO NOTHING`;
    await this.file.writeAll([{ sql, params: [Number(parked['slot']), partition] }]);
    return true;
  }

  async takeRetries(slots: readonly number[]): Promise<Pick<ParkedAccount, 'slot' | 'partition'>[]> {
    const wanted = `SELECT slot, partition FROM ${this.name}_retries WHERE slot IN (SELECT value FROM json_each(?))`;
    const rows = this.file.read(wanted, JSON.stringify(slots));
    const retries = rows.map((row) => ({ slot: Number(row['slot']), partition: String(row['partition']) }));
    const sql = `DELETE FROM ${this.name}_retries WHERE slot = ? AND partition = ?`;
    if (retries.length > 0)
      await this.file.writeAll(retries.map(({ slot, partition }) => ({ sql, params: [slot, partition] })));
    return retries;
  }
}

const parkedAccount = (row: ReturnType<SqliteAccess['read']>[number]): ParkedAccount => ({
  slot: Number(row['slot']),
  partition: String(row['partition']),
  position: Number(row['position']),
  error: String(row['error']),
  at: Number(row['at']),
  epoch: Number(row['epoch']),
});
