import type { SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';

const text = z.string();

/** The fields of an account of OpenList that are sent to the store. `addedAt` of a key is null if the database has no readable time. */
export const accountFields = {
  id: z.int(),
  username: text,
  passwordTimestamp: z.int(),
  secret: text,
  role: z.int(),
  basePath: text,
  permission: z.int(),
  widened: text,
  notes: z.array(text).readonly(),
  disabled: z.boolean(),
  ssoId: text,
  allowLdap: z.boolean(),
  hasPasskeys: z.boolean(),
  keys: z.array(z.object({ title: text, line: text, addedAt: z.number().nullable() })).readonly(),
  keysLeftOut: z.int(),
  ofExport: z.boolean(),
};
type AccountFields = Readonly<z.infer<z.ZodObject<typeof accountFields>>>;
type OpenlistKey = AccountFields['keys'][number];
/** The fields that depend on the role. `widened` says what an account of AList could read before, if that is less, and is empty otherwise. */
export type RoleRights = Pick<AccountFields, 'role' | 'basePath' | 'permission' | 'widened' | 'notes'>;

/**
 * An account of OpenList. `hash` is the lower-case hex SHA-256 of `<static hash>-<salt>`, or undefined if there is none. `secret` is that of
 * two-factor, or empty. `passwordTimestamp` is in unix seconds. `keysLeftOut` is the number of keys that no account can have in addition.
 * `notes` say what the roles of AList gave and Keyfold does not. `ofExport`: an export wrote it or a row near it.
 */
export type OpenlistAccount = AccountFields & Readonly<{ hash: string | undefined; salt: string }>;

/** A row that is no account, and why. `id` is null if it is no integer. */
export type RefusedRow = Readonly<{
  id: number | null;
  username: string;
  problems: readonly Readonly<{ reason: RowReason; cause?: string }>[];
}>;
export const isAccount = (row: OpenlistAccount | RefusedRow): row is OpenlistAccount => !('problems' in row);
export type RowReason = 'row-unreadable' | 'username-empty' | 'username-taken' | 'admin-or-guest-uncreatable';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A salt that an export wrote (`saltWith`), with its mark. OpenList makes others. */
export const EXPORTED_SALT = /^[\w-]{16}\.([0-9a-f]{32})$/;
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

export function accountOf(row: Row, rights: RoleRights, keyRows: readonly Row[], ofExport: boolean): OpenlistAccount {
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
    ofExport,
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
