import { KEYS_PER_ACCOUNT, SETTINGS_BYTES } from '@keyfold/domain';
import { reasonOf } from '@keyfold/reporting';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { quoted } from '../../output/printable.js';
import { openOpenlistFile, UnusableOpenlistDatabase } from './openlist-file.js';

/** An SSH key of an account. `addedAt` is in unix milliseconds; null if the database has no readable time. */
export type OpenlistKey = Readonly<{ title: string; line: string; addedAt: number | null }>;

/**
 * An account of OpenList. `hash` is the lower-case hex SHA-256 of `<static hash>-<salt>`, or undefined if there is none. `secret` is that of
 * two-factor, or empty. `passwordTimestamp` is in unix seconds. `keysLeftOut` is the number of keys that no account can have in addition.
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
  keysLeftOut: number;
}>;

export type OpenlistSetting = Readonly<{ key: string; value: string | undefined }>;

/** Accounts that are read at once, so that memory stays flat and OpenList is locked out of its file only for moments. */
const PAGE = 500;
const LOWEST_ID = -(2n ** 63n);
/** The longest salt that is read; OpenList writes 16 letters. */
const SALT_LETTERS = 255;
/** Maximum size of a text of an account and of a text of a key, in bytes. Both are more than the API takes. */
const MAX_TEXT_BYTES = 8 * 1024;
const MAX_KEY_BYTES = 16 * 1024 + 1;
/** Maximum length of the keys of an account in JSON, so that each account fits into a request. */
const MAX_KEYS_LENGTH = 800_000;
const OTHER_KEY_FIELDS = 64;

type Row = Record<string, SQLOutputValue>;
const REQUIRED_COLUMNS = ['id', 'username', 'pwd_hash', 'salt', 'role'];
const OTHER_COLUMNS = ['pwd_ts', 'otp_secret', 'base_path', 'permission', 'disabled', 'sso_id', 'allow_ldap'];
/** The number of keys of an account, null if it has none. */
const KEY_COUNT = '(SELECT number FROM temp.owned_keys WHERE owner = id AND place = 1)';
const KEY_COLUMNS = ['user_id', 'title', 'key_str', 'added_time'];

/** Reads the accounts and settings in a SQLite database of OpenList, whose tables can have any prefix. Never writes. */
export class OpenlistDatabase {
  readonly #file: DatabaseSync;
  readonly #prefix: string;
  readonly #columns: readonly string[];
  readonly #passkeys: string;
  /** Reads the keys of an account. Undefined in a file of a version before the first keys. */
  readonly #keys: StatementSync | undefined;

  /** Throws `UnusableOpenlistDatabase`. */
  constructor(private readonly path: string) {
    this.#file = openOpenlistFile(path);
    try {
      this.#prefix = prefixIn(this.#file, path);
      const present = columnsIn(this.#file, `${this.#prefix}users`);
      this.#columns = [...REQUIRED_COLUMNS, ...OTHER_COLUMNS].filter((column) => present.has(column));
      // Passkeys can be long, and only their existence matters.
      this.#passkeys = present.has('authn') ? "octet_length(authn) > 2 AND authn <> 'null'" : '0';
      this.#requireIntact('users');
      this.#requireSafeRows();
      this.#keys = this.#prepareKeys();
    } catch (error) {
      this.close();
      throw this.#unusable(error);
    }
  }

  /** Yields the accounts by id. Throws `UnusableOpenlistDatabase`. */
  *accounts(): Generator<OpenlistAccount> {
    for (let last: SQLOutputValue = LOWEST_ID; ;) {
      const page = this.#read(last);
      for (const row of page) yield this.#accountOf(row);
      if (page.length < PAGE) return;
      last = page.at(-1)!['id']!;
    }
  }

  /** Returns hash and salt of an account's password, if it has one. Throws `UnusableOpenlistDatabase`. */
  passwordOf(id: number): Readonly<{ hash: string; salt: string }> | undefined {
    const [row] = this.#read(BigInt(id) - 1n, 1);
    if (row?.['id'] !== BigInt(id)) return undefined;
    const { hash, salt } = accountOf(row, []);
    return hash === undefined ? undefined : { hash, salt };
  }

  /** Returns the saved values of these settings; undefined for one that is too long for Keyfold. Throws `UnusableOpenlistDatabase`. */
  settings(keys: readonly string[]): readonly OpenlistSetting[] {
    try {
      if (!['key', 'value'].every((column) => columnsIn(this.#file, `${this.#prefix}setting_items`).has(column)))
        return [];
      this.#requireIntact('setting_items');
      const found = this.#file
        .prepare(
          `SELECT key, iif(octet_length(value) > ${SETTINGS_BYTES}, NULL, value) AS value, value IS NULL AS none
            FROM ${this.#table('setting_items')} WHERE key IN (SELECT value FROM json_each(?)) LIMIT ?`,
        )
        .all(JSON.stringify(keys), keys.length) as Row[];
      return found.map(({ key, value, none }) => {
        return { key: textOf(key), value: value === null && none === 0 ? undefined : textOf(value) };
      });
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #read(after: SQLOutputValue, limit = PAGE): Row[] {
    try {
      const users = this.#file.prepare(
        `SELECT ${this.#columns.join()}, ${this.#passkeys} AS has_passkeys, ${KEY_COUNT} AS key_count FROM ${this.#table('users')} WHERE id > ? ORDER BY id LIMIT ${limit}`,
      );
      users.setReadBigInts(true);
      return users.all(after) as Row[];
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #accountOf(row: Row): OpenlistAccount {
    try {
      const keys = row['key_count'] === null ? undefined : this.#keys?.all(row['id']!);
      return accountOf(row, (keys ?? []) as Row[]);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /** Refuses a damaged table, which may also have no end. */
  #requireIntact(name: string): void {
    const [row] = this.#file.prepare(`PRAGMA quick_check(${this.#table(name)})`).all();
    const result = textOf(Object.values(row ?? {})[0]);
    if (result !== 'ok')
      throw new UnusableOpenlistDatabase(
        `${this.path} is damaged: ${quoted(result)}. Copy it again while OpenList is stopped`,
      );
  }

  /** Refuses rows without a usable primary key, whose keys could belong to another account, and texts that would need much memory. */
  #requireSafeRows(): void {
    const users = this.#table('users');
    const repeated = `SELECT id FROM ${users} GROUP BY id HAVING count(*) > 1 OR typeof(id) <> 'integer' LIMIT 1`;
    const [row] = this.#file.prepare(repeated).all();
    if (row)
      throw new UnusableOpenlistDatabase(
        `${this.path} has several accounts of the id ${quoted(textOf(row['id']))}, or this is no number. Convert the database again, with its primary keys`,
      );
    const isLong = this.#columns.map((column) => `octet_length(${column}) > ${MAX_TEXT_BYTES}`).join(' OR ');
    const [long] = this.#file.prepare(`SELECT id FROM ${users} WHERE ${isLong} LIMIT 1`).all();
    if (long)
      throw new UnusableOpenlistDatabase(
        `${this.path} has a text of more than ${MAX_TEXT_BYTES} bytes in the account ${quoted(textOf(long['id']))}, which OpenList does not write. Remove it there`,
      );
  }

  /** Prepares the read of the keys of an account, oldest first, at most as many as an account can have. */
  #prepareKeys(): StatementSync | undefined {
    // OpenList has no index on the owner. The temporary one contains only ids.
    this.#file.exec(
      'CREATE TEMP TABLE owned_keys (owner integer, place integer, number, key, PRIMARY KEY (owner, place)) WITHOUT ROWID',
    );
    const columns = columnsIn(this.#file, `${this.#prefix}ssh_public_keys`);
    if (!KEY_COLUMNS.every((column) => columns.has(column))) return undefined;
    this.#requireIntact('ssh_public_keys');
    const table = this.#table('ssh_public_keys');
    this.#file.exec(`
      INSERT INTO temp.owned_keys SELECT * FROM (
        SELECT user_id, row_number() OVER (PARTITION BY user_id ORDER BY rowid) AS place,
          count(*) OVER (PARTITION BY user_id), rowid FROM ${table} WHERE typeof(user_id) = 'integer')
        WHERE place <= ${KEYS_PER_ACCOUNT}`);
    const text = (column: string) => `iif(octet_length(${column}) > ${MAX_KEY_BYTES}, '', ${column}) AS ${column}`;
    return this.#file.prepare(
      `SELECT ${text('title')}, ${text('key_str')}, ${text('added_time')}
        FROM temp.owned_keys JOIN ${table} AS keys ON keys.rowid = owned_keys.key WHERE owner = ? ORDER BY place`,
    );
  }

  #unusable(error: unknown): UnusableOpenlistDatabase {
    if (error instanceof UnusableOpenlistDatabase) return error;
    return new UnusableOpenlistDatabase(
      `cannot read ${this.path}: ${reasonOf(error)}. Copy it again while OpenList is stopped`,
    );
  }

  #table(name: string): string {
    return `"${(this.#prefix + name).replaceAll('"', '""')}"`;
  }

  close(): void {
    this.#file.close();
  }
}

/** Returns the names of the ordinary tables. A view or a virtual table can compute values without end. */
const tablesOf = (file: DatabaseSync): string[] =>
  file
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0 ORDER BY name")
    .all()
    .map(({ name }) => String(name));

/** Returns the columns of an ordinary table that are stored, not computed. */
function columnsIn(file: DatabaseSync, table: string): ReadonlySet<string> {
  if (!tablesOf(file).includes(table)) return new Set();
  const columns = file.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  return new Set(columns.map(({ name }) => String(name)));
}

/** Returns the prefix of the tables, from the one table that has the columns of accounts. */
function prefixIn(file: DatabaseSync, path: string): string {
  const found = tablesOf(file)
    .filter((table) => table.endsWith('users'))
    .filter((table) => REQUIRED_COLUMNS.every((column) => columnsIn(file, table).has(column)));
  const [table] = found;
  if (table !== undefined && found.length === 1) return table.slice(0, -'users'.length);
  throw new UnusableOpenlistDatabase(
    found.length === 0
      ? `${path} has no accounts of OpenList: no table has the columns ${REQUIRED_COLUMNS.join(', ')}. Name the file data.db of OpenList, and start a current OpenList on it once if it is old`
      : `${path} has the accounts of several sites: ${found.join(', ')}. Name a file with one of them`,
  );
}

function textOf(value: SQLOutputValue | undefined): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return value === null || value === undefined ? '' : String(value);
}
/** Databases that were converted to SQLite can have texts for truth values. */
const isFalse = (value: SQLOutputValue | undefined) => /^(?:0|f|false|)$/i.test(textOf(value));

function accountOf(row: Row, keyRows: readonly Row[]): OpenlistAccount {
  const keys = fitting(keyRows.map(keyOf));
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
    hasPasskeys: row['has_passkeys'] === 1n,
    keys,
    keysLeftOut: Number(row['key_count'] ?? 0) - keys.length,
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

/** Leaves out the keys after those that together fill an account. */
function fitting(keys: readonly OpenlistKey[]): readonly OpenlistKey[] {
  let room = MAX_KEYS_LENGTH;
  const last = keys.findIndex(
    ({ title, line }) => (room -= JSON.stringify([title, line]).length + OTHER_KEY_FIELDS) < 0,
  );
  return last === -1 ? keys : keys.slice(0, last);
}
