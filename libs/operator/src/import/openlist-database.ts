import { reasonOf } from '@keyfold/reporting';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { quoted } from '../output/printable.js';

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

const LOWEST_ID = -(2n ** 63n);
/** The longest salt that is read; OpenList writes 16 letters. */
const SALT_LETTERS = 255;

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
      this.#requireOneAccountPerId(path);
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
    for (let last = LOWEST_ID; ;) {
      const page = this.#read(last);
      if (page === undefined) return;
      yield page.accounts;
      last = page.last;
    }
  }

  /** Reads the accounts after an id; undefined if there are none. */
  #read(after: bigint): Readonly<{ accounts: readonly OpenlistAccount[]; last: bigint }> | undefined {
    try {
      const users = this.#file.prepare(`SELECT * FROM ${this.#table('users')} WHERE id > ? ORDER BY id LIMIT ${PAGE}`);
      users.setReadBigInts(true);
      const rows = users.all(after) as Row[];
      if (rows.length === 0) return undefined;
      const last = rows.at(-1)!['id'] as bigint;
      const keys = this.#keysOf(after, last);
      return { accounts: rows.map((row) => accountOf(row, keys.get(String(row['id'])) ?? [])), last };
    } catch (error) {
      if (error instanceof UnusableOpenlistDatabase) throw error;
      throw new UnusableOpenlistDatabase(`cannot read the database: ${reasonOf(error)}`);
    }
  }

  /** Refuses a table without a primary key, in which the keys of an account could not be told from those of another. */
  #requireOneAccountPerId(path: string): void {
    const repeated = `SELECT id FROM ${this.#table('users')} GROUP BY id HAVING count(*) > 1 OR typeof(id) <> 'integer' LIMIT 1`;
    const [row] = this.#file.prepare(repeated).all();
    if (row)
      throw new UnusableOpenlistDatabase(
        `${path} has several accounts of the id ${quoted(textOf(row['id']))}, or this is no number. Convert the database again, with its primary keys`,
      );
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

function textOf(value: SQLOutputValue | undefined): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return value === null || value === undefined ? '' : String(value);
}
/** Databases that were converted to SQLite can have texts for truth values. */
const isFalse = (value: SQLOutputValue | undefined) => /^(?:0|f|false|)$/i.test(textOf(value));

function accountOf(row: Row, keys: readonly OpenlistKey[]): OpenlistAccount {
  const integer = (column: string, isValid = Number.isSafeInteger) => {
    const value = Number(row[column] ?? 0);
    if (isValid(value)) return value;
    throw new UnusableOpenlistDatabase(
      `the account ${quoted(textOf(row['id']))} has the ${column} ${quoted(textOf(row[column]))}, which is no number that OpenList writes. Start a current OpenList on the database once`,
    );
  };
  const hash = textOf(row['pwd_hash']).toLowerCase();
  const salt = textOf(row['salt']);
  return {
    id: integer('id'),
    username: textOf(row['username']),
    hash: /^[0-9a-f]{64}$/.test(hash) && salt.length <= SALT_LETTERS ? hash : undefined,
    salt,
    passwordTimestamp: integer('pwd_ts'),
    secret: textOf(row['otp_secret']),
    basePath: textOf(row['base_path']),
    role: integer('role', isInt32),
    permission: integer('permission', isInt32),
    disabled: !isFalse(row['disabled']),
    ssoId: textOf(row['sso_id']),
    allowLdap: !isFalse(row['allow_ldap'] ?? 1n),
    hasPasskeys: !['', '[]', 'null'].includes(textOf(row['authn'])),
    keys,
  };
}

const isInt32 = (value: unknown): value is number => typeof value === 'number' && (value | 0) === value;

function keyOf(row: Row): OpenlistKey {
  const addedAt = Date.parse(textOf(row['added_time']));
  return {
    title: textOf(row['title']),
    line: textOf(row['key_str']),
    addedAt: addedAt > 0 && addedAt <= Date.now() ? addedAt : null,
  };
}
