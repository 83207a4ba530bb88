import type { Account, SshKeyRing } from '@keyfold/domain';
import { compareKeys, differingFields, guestOf, mirrorOf, type FoundKey, type FoundUser } from '@keyfold/openlist';
import { quoted } from '../../output/printable.js';

const FIELDS = {
  username: 'name',
  base_path: 'base path',
  role: 'role',
  disabled: 'disabled flag',
  permission: 'permissions',
  sso_id: 'password, by its mark',
  allow_ldap: 'LDAP',
};

type Found = Readonly<{ user: FoundUser; keys: readonly FoundKey[] }>;
type Wanted = Readonly<{ account: Account; password: string; ring: SshKeyRing }>;

/** Returns how a mirror differs from its account, as predicates. `now` is in unix milliseconds. */
export function mirrorDifferences({ user, keys }: Found, { account, password, ring }: Wanted, now: number): string[] {
  // A disabled user cannot use its keys, which follow when it is enabled.
  const { missing, surplus } = account.disabled ? { missing: [], surplus: [] } : compareKeys(ring, keys, now);
  return [
    ...fieldDifferences(differingFields(user, mirrorOf(account, password))),
    ...missing.map(({ title }) => `lacks the SSH key ${quoted(title)}`),
    ...surplus.map(({ title }) => `has the SSH key ${quoted(title)}, which the account does not have`),
  ];
}

/** Returns how the guest of OpenList differs from that of Keyfold. */
export const guestDifferences = (user: FoundUser, account: Account): string[] =>
  fieldDifferences(differingFields(user, guestOf(account, user)));

const fieldDifferences = (fields: readonly (keyof typeof FIELDS)[]): string[] =>
  fields.length === 0 ? [] : [`differs in ${fields.map((field) => FIELDS[field]).join(', ')}`];
