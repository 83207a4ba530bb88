import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import { SessionUses, type SessionUse } from '../session-uses.js';

export const sessionUsesTable = `
  CREATE TABLE IF NOT EXISTS session_uses (session TEXT PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS session_uses_expiry ON session_uses (until)`;

const RECORD = `INSERT INTO session_uses (session, at, until) VALUES (?, ?, ?)
  ON CONFLICT (session) DO UPDATE SET at = max(at, excluded.at)`;
const FORGET_EXPIRED =
  'DELETE FROM session_uses WHERE session IN (SELECT session FROM session_uses WHERE until <= ? LIMIT 20)';
const LAST_USES = 'SELECT session, at FROM json_each(?) AS wanted CROSS JOIN session_uses ON session = wanted.value';

/** Stores the uses in the database of the views. Each record removes some expired ones. */
export class SqliteSessionUses extends SessionUses {
  constructor(private readonly file: SqliteConnection) {
    super();
  }

  async record({ session, at, until }: SessionUse): Promise<void> {
    await this.file.writeAll([
      { sql: RECORD, params: [session, at, until] },
      { sql: FORGET_EXPIRED, params: [at] },
    ]);
  }

  async lastUses(sessions: readonly string[]): Promise<Map<string, number>> {
    const rows = this.file.read(LAST_USES, JSON.stringify(sessions));
    return new Map(rows.map((row) => [String(row['session']), Number(row['at'])]));
  }
}
