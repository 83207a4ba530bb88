import type { Account } from '@keyfold/domain';
import { hash, randomBytes } from 'node:crypto';
import type { FoundUser, UserFields } from '../api/openlist-api.js';

/** A password that nobody can guess. */
export const newPassword = (): string => randomBytes(24).toString('base64url');

/**
 * Returns the SSO id of a mirror. It tells mirrors from other users, and shows whether the user has this password without a login, which would count as
 * wrong otherwise.
 */
export const markOf = (accountId: number, password: string): string =>
  `keyfold-${accountId}-${hash('sha256', password).slice(0, 16)}`;

/** Returns the account that a user of OpenList mirrors; undefined for a user that Keyfold did not make. */
export function accountOfMirror({ sso_id: ssoId }: Pick<FoundUser, 'sso_id'>): number | undefined {
  const [, id] = /^keyfold-(\d+)-[0-9a-f]{16}$/.exec(ssoId) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The fields of a mirror that follow its account. */
export type MirroredFields = Omit<UserFields, 'password'>;

/** The permission bit without which OpenList serves no share of the user. It serves those of a disabled one. */
const SHARE = 1 << 14;

/** Returns the user that mirrors an account with this password. */
export const mirrorOf = (account: Account, password: string): MirroredFields => ({
  username: account.username,
  base_path: account.basePath,
  role: 0,
  disabled: account.disabled,
  permission: account.disabled ? account.permission & ~SHARE : account.permission,
  sso_id: markOf(account.accountId, password),
  allow_ldap: account.allowLdap,
});

/** Returns OpenList's guest with the rights of ours. It keeps its name. */
export const guestOf = (account: Account, found: FoundUser): MirroredFields => ({
  username: found.username,
  base_path: account.basePath,
  role: found.role,
  disabled: account.disabled,
  permission: account.permission,
  sso_id: found.sso_id,
  allow_ldap: found.allow_ldap,
});

/** Returns the names of the fields in which a user differs from what it should be. */
export const differingFields = (found: FoundUser, wanted: MirroredFields): (keyof MirroredFields)[] =>
  (Object.keys(wanted) as (keyof MirroredFields)[]).filter((field) => found[field] !== wanted[field]);
