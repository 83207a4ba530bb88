import type { SQLOutputValue } from 'node:sqlite';
import type { RoleRights } from './alist-roles.js';

/** An SSH key of an account. `addedAt` is in unix milliseconds; null if the database has no readable time. */
export type OpenlistKey = Readonly<{ title: string; line: string; addedAt: number | null }>;

/**
 * An account of OpenList. `hash` is the lower-case hex SHA-256 of `<static hash>-<salt>`, or undefined if there is none. `secret` is that of
 * two-factor, or empty. `passwordTimestamp` is in unix seconds. `keysLeftOut` is the number of keys that no account can have in addition.
 * `widened` and `notes` compare its rights with those that the roles of AList gave.
 */
export type OpenlistAccount = RoleRights &
  Readonly<{
    id: number;
    username: string;
    hash: string | undefined;
    salt: string;
    passwordTimestamp: number;
    secret: string;
    disabled: boolean;
    ssoId: string;
    allowLdap: boolean;
    hasPasskeys: boolean;
    keys: readonly OpenlistKey[];
    keysLeftOut: number;
  }>;

/** A row that is no account, and why. `id` is null if it is no integer. */
export type RefusedRow = Readonly<{
  id: number | null;
  username: string;
  problem: Readonly<{ reason: RowReason; cause?: string }>;
}>;
export type RowReason = 'row-unreadable' | 'username-empty' | 'username-taken' | 'admin-or-guest-uncreatable';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The longest salt that is read; OpenList writes 16 letters. */
const SALT_LETTERS = 255;
/** Maximum length of the keys of an account in JSON, so that each account fits into a request. */
const MAX_KEYS_LENGTH = 800_000;
const OTHER_KEY_FIELDS = 64;

export function textOf(value: SQLOutputValue | undefined): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return value === null || value === undefined ? '' : String(value);
}
/** Databases that were converted to SQLite can have texts for truth values. */
const isFalse = (value: SQLOutputValue | undefined) => /^(?:0|f|false|)$/i.test(textOf(value));

export function passwordIn(row: Row): Pick<OpenlistAccount, 'hash' | 'salt'> {
  const hash = textOf(row['pwd_hash']).toLowerCase();
  const salt = textOf(row['salt']);
  return { hash: /^[0-9a-f]{64}$/.test(hash) && salt.length <= SALT_LETTERS ? hash : undefined, salt };
}

export function accountOf(row: Row, rights: RoleRights, keyRows: readonly Row[]): OpenlistAccount {
  const keys = fitting(keyRows.map(keyOf));
  return {
    id: Number(row['id']),
    username: textOf(row['username']),
    ...passwordIn(row),
    passwordTimestamp: Number(row['pwd_ts'] ?? 0),
    secret: textOf(row['otp_secret']),
    ...rights,
    disabled: !isFalse(row['disabled']),
    ssoId: textOf(row['sso_id']),
    allowLdap: !isFalse(row['allow_ldap'] ?? 1n),
    hasPasskeys: row['has_passkeys'] === 1n,
    keys,
    keysLeftOut: Number(row['key_count'] ?? 0) - keys.length,
  };
}

/** Permissions have 32 bits. */
export const isInteger = (row: Row, column: string): boolean => {
  const value = Number(row[column] ?? 0);
  return column === 'permission' ? (value | 0) === value : Number.isSafeInteger(value);
};

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
