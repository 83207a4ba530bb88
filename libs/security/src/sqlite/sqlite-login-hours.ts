import type { SqliteAccess } from '@keyfold/event-store/sqlite';
import { KEPT_HOURS, LoginHours, type LoginHour } from '../throttle/login-hours.js';

export const loginHoursTable = `CREATE TABLE IF NOT EXISTS login_hours (
    hour INTEGER PRIMARY KEY, accepted INTEGER NOT NULL, refused INTEGER NOT NULL) STRICT`;

const ADD = `INSERT INTO login_hours VALUES (?, ?, ?)
  ON CONFLICT (hour) DO UPDATE SET accepted = accepted + excluded.accepted, refused = refused + excluded.refused`;
const FORGET = 'DELETE FROM login_hours WHERE hour <= ?';

/** Stores the counts in the database of the views. */
export class SqliteLoginHours extends LoginHours {
  constructor(private readonly file: SqliteAccess) {
    super();
  }

  async add(counts: readonly LoginHour[]): Promise<void> {
    if (counts.length === 0) return;
    // Not the latest stored hour: the clock may have been years ahead when it was stored.
    const present = Math.max(...counts.map(({ hour }) => hour));
    await this.file.writeAll([
      ...counts.map(({ hour, accepted, refused }) => ({ sql: ADD, params: [hour, accepted, refused] })),
      { sql: FORGET, params: [present - KEPT_HOURS] },
    ]);
  }

  async between(first: number, last: number): Promise<LoginHour[]> {
    const rows = this.file.read('SELECT * FROM login_hours WHERE hour BETWEEN ? AND ? ORDER BY hour', first, last);
    return rows.map((row) => ({
      hour: Number(row['hour']),
      accepted: Number(row['accepted']),
      refused: Number(row['refused']),
    }));
  }
}
