import { SqliteConnection, type WriteStatement } from '@keyfold/event-store/sqlite';
import { ThrottleStore, type Admission, type CounterChanges, type ThrottleKey } from '../throttle/throttle-store.js';

export const throttleTable = `
  CREATE TABLE IF NOT EXISTS throttle (
    key TEXT PRIMARY KEY, failures INTEGER NOT NULL, blocked_until INTEGER NOT NULL,
    blocked_before INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS throttle_expiry ON throttle (expires)`;

/**
 * Counts an attempt unless the key is blocked. The second statement then blocks the key if the attempt reached the limit. A refund
 * restores `blocked_before`.
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
/** Finds the first blocked key. */
const BLOCKED = `
  SELECT blocked_until FROM json_each(?1) AS wanted CROSS JOIN throttle ON throttle.key = wanted.value
  WHERE blocked_until > ?2 ORDER BY wanted.key LIMIT 1`;
/** Counters that are deleted in one transaction, so that logins do not wait for many. */
const FORGOTTEN_TOGETHER = 1_000;
/** Finds the counters of a key and of its continuations; the semicolon follows the colon. */
const OF_KEY = `(key = ?1 OR (key >= ?1 || ':' AND key < ?1 || ';'))`;
const COUNT_OF_KEY = `SELECT count(*) AS counters, count(*) FILTER (WHERE blocked_until > ?2) AS blocked FROM throttle WHERE ${OF_KEY}`;
const FORGET_KEY = `DELETE FROM throttle WHERE key IN (SELECT key FROM throttle WHERE ${OF_KEY} LIMIT ${FORGOTTEN_TOGETHER})`;
const FORGET_EXPIRED = 'DELETE FROM throttle WHERE key IN (SELECT key FROM throttle WHERE expires <= ? LIMIT 20)';

/** Stores the counters in the database of the one process that owns it. */
export class SqliteThrottleStore extends ThrottleStore {
  constructor(private readonly file: SqliteConnection) {
    super();
  }

  async admit(keys: readonly ThrottleKey[], now: number): Promise<Admission> {
    // Most attempts of an attack are refused, so they must cost only a read.
    const wait = this.#secondsBlocked(keys, now);
    if (wait > 0) return { admitted: false, retryAfterSeconds: wait };
    const result = await this.file.write([
      ...keys.flatMap((key) => countAttempt(key, now)),
      { sql: FORGET_EXPIRED, params: [now] },
    ]);
    if ('rows' in result) {
      const failures = keys.flatMap(({ reportFailures }, index) =>
        reportFailures ? [Number(result.rows[2 * index]![0]!['failures'])] : [],
      );
      return { admitted: true, failures };
    }
    return {
      admitted: false,
      retryAfterSeconds: Math.max(1, this.#secondsBlocked([keys[result.refusedAt / 2]!], now)),
    };
  }

  async secondsBlocked(keys: readonly ThrottleKey[], now: number): Promise<number> {
    return this.#secondsBlocked(keys, now);
  }

  async apply({ reset = [], refund = [], remember }: CounterChanges): Promise<void> {
    const statements: WriteStatement[] = [
      ...reset.map((key) => ({ sql: 'DELETE FROM throttle WHERE key = ?', params: [key] })),
      ...refund.map((key) => ({
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

  async forgetAll(keys: readonly string[], now: number): Promise<number> {
    let blocked = 0;
    for (const key of keys) {
      const [found] = this.file.read(COUNT_OF_KEY, key, now);
      blocked += Number(found!['blocked']);
      for (let left = Number(found!['counters']); left > 0; left -= FORGOTTEN_TOGETHER)
        await this.file.writeAll([{ sql: FORGET_KEY, params: [key] }]);
    }
    return blocked;
  }

  async isRemembered(key: string, now: number): Promise<boolean> {
    return this.file.read('SELECT 1 FROM throttle WHERE key = ? AND expires > ?', key, now).length > 0;
  }

  #secondsBlocked(keys: readonly ThrottleKey[], now: number): number {
    const [first] = this.file.read(BLOCKED, JSON.stringify(keys.map(({ key }) => key)), now);
    return first ? Math.ceil((Number(first['blocked_until']) - now) / 1000) : 0;
  }
}

function countAttempt({ key, rule }: ThrottleKey, now: number): WriteStatement[] {
  const { limit, firstBlock, maxBlock, forgetAfter, countFrom } = rule;
  return [
    { sql: COUNT, params: [key, now, forgetAfter, countFrom], mustChange: true },
    { sql: BLOCK, params: [key, now, limit, firstBlock, maxBlock] },
  ];
}
