import { reasonOf } from '@keyfold/reporting';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

/** An SSH key of an account. `addedAt` is in unix milliseconds; null if the database has no readable time. */
export type OpenlistKey = Readonly<{ title: string; line: string; addedAt: number | null }>;

/**
 * An account of OpenList. `hash` is the lower-case hex SHA-256 of `<static hash>-<salt>`, or undefined if there is none. `secret` is that of
 * two-factor, or empty. `passwordTimestamp` is in unix seconds.
 */
export type OpenlistAccount = Readonly<{
  id: number;
  username: string;
  hash: string | undefined;
  salt: string;
  passwordTimestamp: number;
  secret: string;
  basePath: string;
  role: number;
  permission: number;
  disabled: boolean;
  ssoId: string;
  allowLdap: boolean;
  hasPasskeys: boolean;
  keys: readonly OpenlistKey[];
}>;

/** The file cannot be imported; the message says why and what to do. */
export class UnusableOpenlistDatabase extends Error {
  override readonly name = 'UnusableOpenlistDatabase';
}

/** Accounts that are read at once, so that memory stays flat and OpenList is locked out of its file only for moments. */
const PAGE = 500;
/** How long to wait while OpenList writes (milliseconds). */
const LOCK_TIMEOUT = 5_000;

type Row = Record<string, SQLOutputValue>;
const USER_COLUMNS = ['id', 'username', 'pwd_hash', 'salt', 'role'];

/** Reads the accounts in a SQLite database of OpenList, whose tables can have any prefix. Never writes. */
export class OpenlistDatabase {
  readonly #file: DatabaseSync;
  readonly #prefix: string;

  /** Throws `UnusableOpenlistDatabase`. */
  constructor(path: string) {
    try {
      this.#file = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT });
      this.#prefix = prefixIn(this.#file, path);
    } catch (error) {
      if (error instanceof UnusableOpenlistDatabase) throw error;
      throw new UnusableOpenlistDatabase(
        `cannot read ${path}: ${reasonOf(error)}. Name the file data.db of OpenList. If OpenList uses MySQL or PostgreSQL, ` +
          'first convert its database to SQLite, for example with db-to-sqlite',
      );
    }
  }

  /** Yields the accounts by id, in pages. Throws `UnusableOpenlistDatabase`. */
  *accounts(): Generator<readonly OpenlistAccount[]> {
    const users = this.#file.prepare(`SELECT * FROM ${this.#table('users')} WHERE id > ? ORDER BY id LIMIT ${PAGE}`);
    users.setReadBigInts(true);
    for (let last = 0n; ;) {
      const rows = users.all(last) as Row[];
      if (rows.length === 0) return;
      const end = rows.at(-1)!['id'] as bigint;
      const keys = this.#keysOf(last, end);
      yield rows.map((row) => accountOf(row, keys.get(String(row['id'])) ?? []));
      last = end;
    }
  }

  /** Returns the keys of a range of accounts by account id, oldest first. Versions before the first keys have no table for them. */
  #keysOf(after: bigint, last: bigint): Map<string, OpenlistKey[]> {
    if (!tablesOf(this.#file).includes(`${this.#prefix}ssh_public_keys`)) return new Map();
    const table = this.#table('ssh_public_keys');
    const keys = this.#file.prepare(`SELECT * FROM ${table} WHERE user_id > ? AND user_id <= ? ORDER BY id`);
    keys.setReadBigInts(true);
    const grouped = Map.groupBy(keys.all(after, last) as Row[], (row) => String(row['user_id']));
    return new Map([...grouped].map(([id, rows]) => [id, rows.map(keyOf)]));
  }

  #table(name: string): string {
    return `"${(this.#prefix + name).replaceAll('"', '""')}"`;
  }

  close(): void {
    this.#file.close();
  }
}

const tablesOf = (file: DatabaseSync): string[] =>
  file
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));

/** Returns the prefix of the tables, from the one table that has the columns of accounts. */
function prefixIn(file: DatabaseSync, path: string): string {
  const columns = (table: string) =>
    file
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name));
  const found = tablesOf(file)
    .filter((table) => table.endsWith('users'))
    .filter((table) => USER_COLUMNS.every((column) => columns(table).includes(column)));
  const [table] = found;
  if (table !== undefined && found.length === 1) return table.slice(0, -'users'.length);
  throw new UnusableOpenlistDatabase(
    found.length === 0
      ? `${path} has no accounts of OpenList: no table has the columns ${USER_COLUMNS.join(', ')}. Name the file data.db of OpenList, and start a current OpenList on it once if it is old`
      : `${path} has the accounts of several sites: ${found.join(', ')}. Name a file with one of them`,
  );
}

const textOf = (value: SQLOutputValue | undefined) => (value === null || value === undefined ? '' : String(value));
/** Databases that were converted to SQLite can have texts for truth values. */
const isTrue = (value: SQLOutputValue | undefined) => /^(1|t|true)$/i.test(textOf(value));

function accountOf(row: Row, keys: readonly OpenlistKey[]): OpenlistAccount {
  const integer = (column: string) => {
    const value = Number(row[column] ?? 0);
    if (Number.isSafeInteger(value)) return value;
    throw new UnusableOpenlistDatabase(
      `the account ${textOf(row['id'])} has the ${column} ${textOf(row[column])}, which is no number that OpenList writes. Start a current OpenList on the database once`,
    );
  };
  const hash = textOf(row['pwd_hash']).toLowerCase();
  return {
    id: integer('id'),
    username: textOf(row['username']),
    hash: /^[0-9a-f]{64}$/.test(hash) ? hash : undefined,
    salt: textOf(row['salt']),
    passwordTimestamp: integer('pwd_ts'),
    secret: textOf(row['otp_secret']),
    basePath: textOf(row['base_path']),
    role: integer('role'),
    permission: integer('permission'),
    disabled: isTrue(row['disabled']),
    ssoId: textOf(row['sso_id']),
    allowLdap: isTrue(row['allow_ldap'] ?? 1n),
    hasPasskeys: !['', '[]', 'null'].includes(textOf(row['authn'])),
    keys,
  };
}

function keyOf(row: Row): OpenlistKey {
  const addedAt = Date.parse(textOf(row['added_time']));
  return {
    title: textOf(row['title']),
    line: textOf(row['key_str']),
    addedAt: Number.isNaN(addedAt) ? null : addedAt,
  };
}
