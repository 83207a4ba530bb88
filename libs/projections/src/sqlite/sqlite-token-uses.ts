import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import { TokenUses, type TokenUse } from '../token-uses.js';

/** The names are from the time when only sessions had tokens. */
export const tokenUsesTable = `
  CREATE TABLE IF NOT EXISTS session_uses (session TEXT PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS session_uses_expiry ON session_uses (until)`;

const RECORD = `INSERT INTO session_uses (session, at, until) VALUES (?, ?, ?)
  ON CONFLICT (session) DO UPDATE SET at = max(at, excluded.at), until = max(until, excluded.until)`;
const FORGET_EXPIRED =
  'DELETE FROM session_uses WHERE session IN (SELECT session FROM session_uses WHERE until <= ? LIMIT 20)';
const LAST_USES = 'SELECT session, at FROM json_each(?) AS wanted CROSS JOIN session_uses ON session = wanted.value';
const FORGET = 'DELETE FROM session_uses WHERE session IN (SELECT value FROM json_each(?))';

/** Stores the uses in the database of the views. Each record removes some expired ones. */
export class SqliteTokenUses extends TokenUses {
  constructor(private readonly file: SqliteConnection) {
    super();
  }

  async record({ token, at, until }: TokenUse): Promise<void> {
    await this.file.writeAll([
      { sql: RECORD, params: [token, at, until] },
      { sql: FORGET_EXPIRED, params: [at] },
    ]);
  }

  async lastUses(tokens: readonly string[]): Promise<Map<string, number>> {
    const rows = this.file.read(LAST_USES, JSON.stringify(tokens));
    return new Map(rows.map((row) => [String(row['session']), Number(row['at'])]));
  }

  async forget(tokens: readonly string[]): Promise<void> {
    await this.file.writeAll([{ sql: FORGET, params: [JSON.stringify(tokens)] }]);
  }
}
