import { staticHash } from '@keyfold/security';
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** A key as OpenList stores it. */
type Key = Readonly<{ title: string; line: string; addedTime?: string }>;

/** An account of OpenList; what is missing has the value of an account that was just created. */
export type OpenlistUser = Readonly<{
  id: number;
  username: string;
  password?: string;
  passwordTimestamp?: number;
  basePath?: string;
  /** AList has a list of roles, as JSON. */
  role?: number | string;
  disabled?: boolean;
  permission?: number;
  secret?: string;
  ssoId?: string;
  passkeys?: string;
  keys?: readonly Key[];
}>;

const ADMIN: OpenlistUser = {
  id: 1,
  username: 'admin',
  password: 'old admin',
  role: 2,
  permission: 29183,
  passwordTimestamp: 0,
};
const GUEST: OpenlistUser = {
  id: 2,
  username: 'guest',
  password: 'guest',
  role: 1,
  disabled: true,
  passwordTimestamp: 0,
};

/** The rights of a role of AList: the bits for each folder. */
export type AlistRole = Readonly<{ name: string; rights: Readonly<Record<string, number>> }>;

/** The roles of every AList, with the ids 1 and 2. */
const ALIST_ROLES: readonly AlistRole[] = [
  { name: 'guest', rights: { '/': 0 } },
  { name: 'admin', rights: { '/': 0xffff } },
];

type Options = Readonly<{
  prefix?: string;
  settings?: Readonly<Record<string, string>>;
  admin?: Partial<OpenlistUser>;
  guest?: Partial<OpenlistUser>;
}>;

/**
 * Creates a database as AList 3.62 writes it: with the guest as account 1, the admin as account 2, and roles with rights for folders. The
 * given roles have the ids from 3 on.
 */
export function writeAlistDatabase(path: string, roles: readonly AlistRole[], users: readonly OpenlistUser[]): void {
  writeOpenlistDatabase(path, users, {
    admin: { id: 2, role: '[2]', permission: 0xffff },
    guest: { id: 1, role: '[1]' },
  });
  const file = new DatabaseSync(path);
  file.exec(`ALTER TABLE x_users DROP COLUMN allow_ldap;
    CREATE TABLE x_roles (id integer PRIMARY KEY AUTOINCREMENT, name text, description text, "default" numeric DEFAULT false,
      raw_permission text, CONSTRAINT uni_x_roles_name UNIQUE (name))`);
  const role = file.prepare('INSERT INTO x_roles (name, raw_permission) VALUES (?, ?)');
  for (const { name, rights } of [...ALIST_ROLES, ...roles])
    role.run(
      name,
      JSON.stringify(Object.entries(rights).map(([folder, permission]) => ({ path: folder, permission }))),
    );
  file.close();
}

/** Creates a database with the schema and the data that OpenList 4.2.5 writes: its admin, its guest, these accounts and settings. */
export function writeOpenlistDatabase(
  path: string,
  users: readonly OpenlistUser[],
  { prefix = 'x_', settings = {}, admin, guest }: Options = {},
): void {
  const file = new DatabaseSync(path);
  file.exec(`
    BEGIN;
    CREATE TABLE "${prefix}users" (id integer PRIMARY KEY AUTOINCREMENT, username text, pwd_hash text, pwd_ts integer, salt text,
      password text, base_path text, role integer, disabled numeric, permission integer, otp_secret text, sso_id text, authn text,
      allow_ldap numeric DEFAULT true, CONSTRAINT "uni_${prefix}users_username" UNIQUE (username));
    CREATE TABLE "${prefix}ssh_public_keys" (id integer PRIMARY KEY AUTOINCREMENT, user_id integer, title text, fingerprint text,
      key_str text, added_time datetime, last_used_time datetime);
    CREATE TABLE "${prefix}setting_items" (key text, value text, help text, type text, options text, "group" integer, flag integer,
      "index" integer, PRIMARY KEY (key));`);
  const setting = file.prepare(`INSERT INTO "${prefix}setting_items" (key, value) VALUES (?, ?)`);
  for (const [name, value] of Object.entries(settings)) setting.run(name, value);
  const user = file.prepare(`INSERT INTO "${prefix}users" VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, 1)`);
  const key = file.prepare(`INSERT INTO "${prefix}ssh_public_keys" VALUES (NULL, ?, ?, '', ?, ?, ?)`);
  for (const each of [{ ...ADMIN, ...admin }, { ...GUEST, ...guest }, ...users]) {
    const { id, username, password = username, passwordTimestamp = 1_795_356_473, basePath = '/', role = 0 } = each;
    // OpenList replaces it with each password.
    const salt = `salt of ${password}`;
    const stored = hash('sha256', `${staticHash(password)}-${salt}`, 'hex');
    const { disabled = false, permission = 0, secret = '', ssoId = '', passkeys = '[]', keys = [] } = each;
    user.run(
      id,
      username,
      stored,
      passwordTimestamp,
      salt,
      basePath,
      role,
      Number(disabled),
      permission,
      secret,
      ssoId,
      passkeys,
    );
    for (const { title, line, addedTime = '2026-11-22 14:07:54.237858666+00:00' } of keys)
      key.run(id, title, line, addedTime, addedTime);
  }
  file.exec('COMMIT');
  file.close();
}
