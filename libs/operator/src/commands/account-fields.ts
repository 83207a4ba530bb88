import { isoTime } from '@keyfold/application';
import { ROLE_ADMIN, ROLE_GUEST, type Account } from '@keyfold/domain';

/** Returns the fields of an account as JSON shows them. No secret is among them. */
export const accountFields = (account: Account) => ({
  id: account.accountId,
  username: account.username,
  role: account.role,
  disabled: account.disabled,
  basePath: account.basePath,
  permission: account.permission,
  ssoId: account.ssoId,
  allowLdap: account.allowLdap,
  twoFactor: twoFactorOf(account),
  recoveryCodesLeft: recoveryCodesLeft(account),
  passwordChanged: passwordChanged(account),
});

/** Returns the fields of an account for people, by their labels. */
export const accountLabels = (account: Account): Record<string, string | number> => ({
  id: account.accountId,
  role: roleName(account),
  state: stateOf(account),
  'two-factor': twoFactorOf(account),
  'recovery codes': recoveryCodesLeft(account) ?? 'none',
  'password changed': passwordChanged(account) ?? 'never',
  'base path': account.basePath,
  permission: account.permission,
  'SSO id': account.ssoId,
  LDAP: account.allowLdap ? 'allowed' : 'not allowed',
});

/** Returns the second factor in a word. */
export function twoFactorOf({ twoFactor }: Account): 'off' | 'on' | 'locked' {
  if (!twoFactor) return 'off';
  return twoFactor.locked ? 'locked' : 'on';
}

/** Returns whether the account can be used, in a word. */
export const stateOf = ({ disabled }: Account) => (disabled ? 'disabled' : 'enabled');

/** Returns the role in a word, or as a number if it has no meaning. */
export function roleName({ role }: Account): string {
  if (role === ROLE_ADMIN) return 'admin';
  if (role === ROLE_GUEST) return 'guest';
  return role === 0 ? 'general' : String(role);
}

const recoveryCodesLeft = ({ twoFactor }: Account) => twoFactor?.recoveryCodes?.unused.length ?? null;

/** The first accounts have no time. */
const passwordChanged = ({ passwordTimestamp }: Account) =>
  passwordTimestamp === 0 ? null : isoTime(passwordTimestamp * 1000);
