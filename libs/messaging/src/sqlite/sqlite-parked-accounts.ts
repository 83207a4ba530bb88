import type { SqliteAccess } from '@keyfold/event-store/sqlite';
import { ParkedAccounts, type ParkedAccount } from '../relay/parked-accounts.js';

/** The table, in the file that also contains the relay's checkpoints. */
export const parkedAccountsTable = `CREATE TABLE IF NOT EXISTS parked_relays (
    slot INTEGER NOT NULL, partition TEXT NOT NULL, position INTEGER NOT NULL, error TEXT NOT NULL, at INTEGER NOT NULL,
    epoch INTEGER NOT NULL, PRIMARY KEY (slot, partition)) STRICT`;

export class SqliteParkedAccounts extends ParkedAccounts {
  constructor(private readonly file: SqliteAccess) {
    super();
  }

  async park({ slot, partition, position, error, at, epoch }: ParkedAccount): Promise<void> {
    const sql = `INSERT INTO parked_relays VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (slot, partition) DO UPDATE SET position = excluded.position, error = excluded.error, at = excluded.at,
        epoch = excluded.epoch WHERE excluded.epoch >= epoch`;
    await this.file.writeAll([{ sql, params: [slot, partition, position, error, at, epoch] }]);
  }

  async unpark({ slot, partition, position, epoch }: ParkedAccount): Promise<void> {
    const sql = 'DELETE FROM parked_relays WHERE slot = ? AND partition = ? AND position = ? AND epoch = ?';
    await this.file.writeAll([{ sql, params: [slot, partition, position, epoch] }]);
  }

  async all(slot?: number): Promise<ParkedAccount[]> {
    const rows =
      slot === undefined
        ? this.file.read('SELECT * FROM parked_relays ORDER BY at')
        : this.file.read('SELECT * FROM parked_relays WHERE slot = ? ORDER BY at', slot);
    return rows.map((row) => ({
      slot: Number(row['slot']),
      partition: String(row['partition']),
      position: Number(row['position']),
      error: String(row['error']),
      at: Number(row['at']),
      epoch: Number(row['epoch']),
    }));
  }
}
