import { KEYS_PER_ACCOUNT, ROLE_ADMIN, ROLE_GUEST, SETTINGS_BYTES } from '@keyfold/domain';
import { reasonOf } from '@keyfold/reporting';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { quoted } from '../../output/printable.js';
import { COMMON_BITS, roleIdsIn, rightsOf, type AlistRole } from './alist-roles.js';
import { openOpenlistFile, UnusableOpenlistDatabase } from './openlist-file.js';
import {
  accountOf,
  EXPORTED_SALT,
  isInteger,
  passwordIn,
  textOf,
  type OpenlistAccount,
  type RefusedRow,
  type RoleRights,
  type Row,
  type RowReason,
} from './openlist-rows.js';

export type OpenlistSetting = Readonly<{ key: string; value: string | undefined }>;

/** Accounts that are read at once, so that memory stays flat and OpenList is locked out of its file only for moments. */
const PAGE = 500;
const LOWEST_ROW = -(2n ** 63n);
/** Maximum size of a text of an account and of a text of a key, in bytes. Both are more than the API takes. */
const MAX_TEXT_BYTES = 8 * 1024;
const MAX_KEY_BYTES = 16 * 1024 + 1;
const MAX_RIGHTS_BYTES = 64 * 1024;

/** The roles of OpenList, and of AList up to 3.45: general, guest and admin. */
const SINGLE_ROLES: ReadonlySet<number> = new Set([0, ROLE_GUEST, ROLE_ADMIN]);

const REQUIRED_COLUMNS = ['id', 'username', 'pwd_hash', 'salt', 'role'];
const OTHER_COLUMNS = ['pwd_ts', 'otp_secret', 'base_path', 'permission', 'disabled', 'sso_id', 'allow_ldap'];
/** The number of keys of an account, null if it has none. */
const KEY_COUNT = '(SELECT number FROM temp.owned_keys WHERE owner = id AND place = 1)';
const KEY_COLUMNS = ['user_id', 'title', 'key_str', 'added_time'];
const SETTING_COLUMNS = ['key', 'value'];
const ROLE_COLUMNS = ['id', 'name', 'raw_permission'];
/** Tables and columns that a file can lack, and what an import then leaves out. */
const OPTIONAL: readonly (readonly [table: string, columns: readonly string[], effect: string])[] = [
  ['ssh_public_keys', KEY_COLUMNS, 'SSH keys are not imported'],
  ['setting_items', SETTING_COLUMNS, 'settings are not imported'],
  ['users', ['otp_secret'], 'second factors are not imported'],
  ['users', ['base_path'], 'every account gets the base path /'],
  ['users', ['permission'], 'no account gets permissions'],
  ['users', ['disabled'], 'no account is disabled'],
  ['users', ['sso_id'], 'links to single sign-on are not imported'],
];

/** Reads the accounts and settings in a SQLite database of OpenList or AList, whose tables can have any prefix. Never writes. */
export class OpenlistDatabase {
  readonly #file: DatabaseSync;
  readonly #prefix: string;
  readonly #columns: readonly string[];
  readonly #passkeys: string;
  /** Reads the keys of an account. Undefined in a file of a version before the first keys. */
  readonly #keys: StatementSync | undefined;
  /** Reads a role of AList. Undefined in other files. */
  readonly #roles: StatementSync | undefined;
  /** The tables and columns that the file lacks, with what an import leaves out for want of them. */
  readonly gaps: readonly string[];

  /** Throws `UnusableOpenlistDatabase`. */
  constructor(private readonly path: string) {
    this.#file = openOpenlistFile(path);
    try {
      this.#prefix = prefixIn(this.#file, path);
      const present = columnsIn(this.#file, `${this.#prefix}users`);
      this.#columns = [...REQUIRED_COLUMNS, ...OTHER_COLUMNS].filter((column) => present.has(column));
      // Passkeys can be long, and only their existence matters.
      this.#passkeys = present.has('authn') ? `octet_length(authn) > 2 AND ${bounded('authn', 4)} <> 'null'` : '0';
      this.gaps = OPTIONAL.flatMap(([table, columns, effect]) => {
        const gap = this.#gapIn(table, columns);
        return gap === undefined ? [] : [`${path} has ${gap}: ${effect}`];
      });
      this.#requireIntact('users');
      this.#findDoubts();
      this.#keys = this.#prepareKeys();
      this.#roles = this.#prepareRoles();
    } catch (error) {
      this.#file.close();
      throw this.#unusable(error);
    }
  }

  /** Yields the accounts, and the rows that are none, in the order of the table. Throws `UnusableOpenlistDatabase`. */
  *rows(): Generator<OpenlistAccount | RefusedRow> {
    const reserved = new Set<number>();
    for (let last: SQLOutputValue = LOWEST_ROW; ;) {
      const page = this.#read('users.rowid > ?', last);
      const ofExport = page.some(({ salt = '' }) => EXPORTED_SALT.test(textOf(salt)));
      for (const row of page) yield this.#rowOf(row, reserved, ofExport);
      if (page.length < PAGE) return;
      last = page.at(-1)!['row']!;
    }
  }

  /** Returns hash and salt of an account's password, if it has one. Throws `UnusableOpenlistDatabase`. */
  passwordOf(id: number): Readonly<{ hash: string; salt: string }> | undefined {
    const [row] = this.#read('id = ?', BigInt(id));
    const { hash, salt } = row && row['reason'] === null ? passwordIn(row) : {};
    return hash === undefined || salt === undefined ? undefined : { hash, salt };
  }

  /** Returns the saved values of these settings; undefined for one that is too long for Keyfold. Throws `UnusableOpenlistDatabase`. */
  settings(keys: readonly string[]): readonly OpenlistSetting[] {
    try {
      if (!this.#has('setting_items', SETTING_COLUMNS)) return [];
      this.#requireIntact('setting_items');
      const found = this.#file
        .prepare(
          `SELECT key, iif(octet_length(value) > ${SETTINGS_BYTES}, NULL, value) AS value, typeof(value) = 'null' AS none
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

  #read(condition: string, value: SQLOutputValue): Row[] {
    try {
      const users = this.#file.prepare(
        `SELECT users.rowid AS row, ${this.#columns.map((column) => `${bounded(column, MAX_TEXT_BYTES)} AS ${column}`).join()},
          ${this.#passkeys} AS has_passkeys, ${KEY_COUNT} AS key_count, doubts.reason AS reason, doubts.cause AS cause
          FROM ${this.#table('users')} AS users LEFT JOIN temp.doubts ON doubts.place = users.rowid
          WHERE ${condition} ORDER BY users.rowid LIMIT ${PAGE}`,
      );
      users.setReadBigInts(true);
      return users.all(value) as Row[];
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /** `reserved`: the roles of admin and guest that earlier rows have. */
  #rowOf(row: Row, reserved: Set<number>, ofExport: boolean): OpenlistAccount | RefusedRow {
    const id = typeof row['id'] === 'bigint' ? Number(row['id']) : null;
    const refused = (reason: RowReason, cause?: string): RefusedRow => ({
      id,
      username: textOf(row['username']),
      problems: [{ reason, ...(cause !== undefined && { cause }) }],
    });
    try {
      const rights = this.#rightsOf(row);
      const isReserved = rights?.role === ROLE_ADMIN || rights?.role === ROLE_GUEST;
      const isFurther = isReserved && reserved.has(rights.role);
      // Also by a row that is refused: nobody else takes the place of its account.
      if (isReserved) reserved.add(rights.role);
      if (row['reason'] !== null) return refused(textOf(row['reason']) as RowReason, textOf(row['cause']) || undefined);
      const odd = ['pwd_ts', 'permission'].find((column) => !isInteger(row, column));
      if (odd !== undefined || !rights) {
        const text = textOf(row[odd ?? 'role']);
        const lack = odd === undefined && !this.#roles && text.startsWith('[') ? ': the file has no table x_roles' : '';
        return refused('row-unreadable', `${odd ?? 'role'} ${quoted(text)}${lack}`);
      }
      // AList also gives the role of the guest to people who register themselves.
      const isPerson = rights.role === ROLE_GUEST && isFurther && this.#roles !== undefined;
      if (isFurther && !isPerson) return refused('admin-or-guest-uncreatable');
      const keys = row['key_count'] === null ? undefined : this.#keys?.all(row['id']!);
      return accountOf(row, isPerson ? { ...rights, role: 0 } : rights, (keys ?? []) as Row[], ofExport);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /** Returns the rights of an account; undefined if its role is none that OpenList or AList writes. */
  #rightsOf(row: Row): RoleRights | undefined {
    const basePath = textOf(row['base_path']);
    const permission = Number(row['permission'] ?? 0);
    const text = textOf(row['role']);
    const role = Number(text);
    if ((text !== '' || !this.#roles) && SINGLE_ROLES.has(role))
      return {
        role,
        basePath,
        permission: this.#roles ? permission & COMMON_BITS : permission,
        widened: '',
        notes: [],
      };
    const ids = roleIdsIn(text === '' ? 'null' : text.replace(/^\d+$/, '[$&]'));
    const roles = ids?.map((id) => this.#roles?.all(id) ?? []);
    if (!roles?.every((found) => found.length === 1)) return undefined;
    const named = roles.flat().map(({ name, rights }): AlistRole => ({ name: textOf(name), rights: textOf(rights) }));
    return rightsOf(named, basePath);
  }

  /** Refuses a damaged table, which may also have no end. */
  #requireIntact(name: string): void {
    const [row] = this.#file.prepare(`PRAGMA quick_check(${this.#table(name)})`).all();
    const result = textOf(Object.values(row ?? {})[0]);
    if (result !== 'ok') throw new Error(`${name} is damaged: ${quoted(result)}`);
  }

  /** Notes rows without a usable primary key, whose keys could belong to another account, long texts, and names that no account can have. */
  #findDoubts(): void {
    const users = this.#table('users');
    const isLong = this.#columns.map((column) => `octet_length(${column}) > ${MAX_TEXT_BYTES}`).join(' OR ');
    const id = `iif(typeof(id) = 'integer' AND id BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}, id, NULL)`;
    const name = `CAST(${bounded('username', MAX_TEXT_BYTES)} AS TEXT)`;
    const doubt = 'INSERT OR IGNORE INTO temp.doubts SELECT';
    const repeated = (column: string) => `(SELECT rowid AS place, count(*) OVER (PARTITION BY ${column}) AS number,
      row_number() OVER (PARTITION BY ${column} ORDER BY rowid) AS turn FROM ${users} WHERE rowid NOT IN (SELECT place FROM temp.doubts))`;
    this.#file.exec(`
      CREATE TEMP TABLE doubts (place INTEGER PRIMARY KEY, reason, cause);
      ${doubt} rowid, 'row-unreadable', 'the id is no integer' FROM ${users} WHERE ${id} IS NULL;
      ${doubt} place, 'row-unreadable', 'another account has the id' FROM ${repeated(id)} WHERE number > 1;
      ${doubt} rowid, 'row-unreadable', 'a text of more than ${MAX_TEXT_BYTES} bytes' FROM ${users} WHERE ${isLong};
      ${doubt} rowid, 'username-empty', '' FROM ${users} WHERE ifnull(octet_length(username), 0) = 0;
      ${doubt} place, 'username-taken', '' FROM ${repeated(name)} WHERE turn > 1`);
  }

  /** Prepares the read of the keys of an account, oldest first, at most as many as an account can have. */
  #prepareKeys(): StatementSync | undefined {
    // OpenList has no index on the owner. The temporary one contains only ids.
    this.#file.exec(
      'CREATE TEMP TABLE owned_keys (owner integer, place integer, number, key, PRIMARY KEY (owner, place)) WITHOUT ROWID',
    );
    if (!this.#has('ssh_public_keys', KEY_COLUMNS)) return undefined;
    this.#requireIntact('ssh_public_keys');
    const table = this.#table('ssh_public_keys');
    this.#file.exec(`
      INSERT INTO temp.owned_keys SELECT * FROM (
        SELECT user_id, row_number() OVER (PARTITION BY user_id ORDER BY rowid) AS place,
          count(*) OVER (PARTITION BY user_id), rowid FROM ${table} WHERE typeof(user_id) = 'integer')
        WHERE place <= ${KEYS_PER_ACCOUNT}`);
    const text = (column: string) => `${bounded(column, MAX_KEY_BYTES)} AS ${column}`;
    return this.#file.prepare(
      `SELECT ${text('title')}, ${text('key_str')}, ${text('added_time')}
        FROM temp.owned_keys JOIN ${table} AS keys ON keys.rowid = owned_keys.key WHERE owner = ? ORDER BY place`,
    );
  }

  #prepareRoles(): StatementSync | undefined {
    if (!this.#has('roles', ROLE_COLUMNS)) return undefined;
    this.#requireIntact('roles');
    return this.#file.prepare(
      `SELECT ${bounded('name', MAX_TEXT_BYTES)} AS name, ${bounded('raw_permission', MAX_RIGHTS_BYTES)} AS rights
        FROM ${this.#table('roles')} WHERE id = ? LIMIT 2`,
    );
  }

  #has(table: string, columns: readonly string[]): boolean {
    return this.#gapIn(table, columns) === undefined;
  }

  /** Returns what a table lacks of these columns, in words; undefined if it has all of them. */
  #gapIn(table: string, columns: readonly string[]): string | undefined {
    const present = columnsIn(this.#file, this.#prefix + table);
    if (present.size === 0) return `no table ${this.#prefix}${table}`;
    const missing = columns.filter((column) => !present.has(column));
    return missing.length === 0 ? undefined : `no ${missing.join(', ')} in ${this.#prefix}${table}`;
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

  [Symbol.dispose](): void {
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
  const tablesWith = (columns: readonly string[]) =>
    tablesOf(file)
      .filter((table) => table.endsWith('users'))
      .filter((table) => columns.every((column) => columnsIn(file, table).has(column)));
  const found = tablesWith(REQUIRED_COLUMNS);
  const [table] = found;
  if (table !== undefined && found.length === 1) return table.slice(0, -'users'.length);
  if (found.length > 1)
    throw new UnusableOpenlistDatabase(
      `${path} has the accounts of several sites: ${found.join(', ')}. Name a file with one of them`,
    );
  const [old] = tablesWith(['username', 'password', 'base_path', 'role']);
  throw new UnusableOpenlistDatabase(
    old === undefined
      ? `${path} has no accounts of OpenList: no table has the columns ${REQUIRED_COLUMNS.join(', ')}. Name the file data.db of OpenList`
      : `${path} is of AList before 3.24: ${old} has no password hashes. Start OpenList on a copy of the site's data folder, ` +
          'with its config.json, and then name the data.db in it. Without config.json, OpenList takes the file for a new one and leaves the passwords as they are',
  );
}

/** Returns the SQL for a column that is empty in the place of a text that would need much memory. */
const bounded = (column: string, maxBytes: number) => `iif(octet_length(${column}) > ${maxBytes}, '', ${column})`;
