import { SqliteFile, type WriteStatement } from '@keyfold/event-store/sqlite';
import { ThrottleStore, type Admission, type Success, type ThrottledKey } from '../throttle.js';

export const throttleTable = `
  CREATE TABLE IF NOT EXISTS throttle (
    key TEXT PRIMARY KEY, failures INTEGER NOT NULL, blocked_until INTEGER NOT NULL,
    blocked_before INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS throttle_expiry ON throttle (expires)`;

/**
 * Counts a try unless the key is blocked; the second statement then blocks the key if the try was one too many. `blocked_before` is
 * what a try that is given back leaves.
 */
const COUNT = `
  INSERT INTO throttle (key, failures, blocked_until, expires) VALUES (?1, 1, 0, ?2 + ?3)
  ON CONFLICT (key) DO UPDATE SET
    failures = iif(expires <= ?2, 1, failures + 1),
    blocked_before = blocked_until,
    expires = iif(expires <= ?2 OR ?4 = 'last', ?2 + ?3, expires)
  WHERE blocked_until <= ?2
  RETURNING failures`;
const BLOCK = `
  UPDATE throttle SET
    blocked_until = ?2 + min(?5, ?4 * (1 << min(failures - ?3, 30))),
    expires = max(expires, ?2 + min(?5, ?4 * (1 << min(failures - ?3, 30))))
  WHERE key = ?1 AND failures >= ?3`;
/** The first of the keys asked for that is blocked. */
const BLOCKED = `
  SELECT blocked_until FROM json_each(?1) AS asked CROSS JOIN throttle ON throttle.key = asked.value
  WHERE blocked_until > ?2 ORDER BY asked.key LIMIT 1`;
const FORGET_EXPIRED = 'DELETE FROM throttle WHERE key IN (SELECT key FROM throttle WHERE expires <= ? LIMIT 20)';

export class SqliteThrottleStore extends ThrottleStore {
  constructor(private readonly file: SqliteFile) {
    super();
  }

  async take(keys: readonly ThrottledKey[], now: number): Promise<Admission> {
    // Most tries of an attack are refused: those cost a read here and no turn of the writer.
    const wait = this.#waitOf(keys, now);
    if (wait > 0) return { admitted: false, retryAfterSeconds: wait };
    const result = await this.file.write([
      ...keys.flatMap((key) => countTry(key, now)),
      { sql: FORGET_EXPIRED, params: [now] },
    ]);
    if ('rows' in result) {
      const counted = keys.map(({ told }, index) => ({
        told,
        failures: Number(result.rows[2 * index]![0]!['failures']),
      }));
      return { admitted: true, failures: counted.filter(({ told }) => told).map(({ failures }) => failures) };
    }
    return { admitted: false, retryAfterSeconds: Math.max(1, this.#waitOf([keys[result.refusedAt / 2]!], now)) };
  }

  async look(keys: readonly ThrottledKey[], now: number): Promise<number> {
    return this.#waitOf(keys, now);
  }

  async succeed({ clear = [], giveBack = [], remember }: Success): Promise<void> {
    const statements: WriteStatement[] = [
      ...clear.map((key) => ({ sql: 'DELETE FROM throttle WHERE key = ?', params: [key] })),
      ...giveBack.map((key) => ({
        sql: 'UPDATE throttle SET failures = max(0, failures - 1), blocked_until = blocked_before WHERE key = ?',
        params: [key],
      })),
    ];
    if (remember) {
      const sql = `INSERT INTO throttle (key, failures, blocked_until, expires) VALUES (?1, 0, 0, ?2)
        ON CONFLICT (key) DO UPDATE SET expires = max(expires, ?2)`;
      statements.push({ sql, params: [remember.key, remember.until] });
    }
    await this.file.writeAll(statements);
  }

  async isRemembered(key: string, now: number): Promise<boolean> {
    return this.file.read('SELECT 1 FROM throttle WHERE key = ? AND expires > ?', key, now).length > 0;
  }

  /** Whole seconds until the first of the keys that are blocked is free, 0 when none is blocked. */
  #waitOf(keys: readonly ThrottledKey[], now: number): number {
    const [first] = this.file.read(BLOCKED, JSON.stringify(keys.map(({ key }) => key)), now);
    return first ? Math.ceil((Number(first['blocked_until']) - now) / 1000) : 0;
  }
}

function countTry({ key, rule }: ThrottledKey, now: number): WriteStatement[] {
  const { limit, firstBlock, maxBlock, forgetAfter, countFrom } = rule;
  return [
    { sql: COUNT, params: [key, now, forgetAfter, countFrom], mustChange: true },
    { sql: BLOCK, params: [key, now, limit, firstBlock, maxBlock] },
  ];
}
