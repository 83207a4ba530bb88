import type { DomainError, DomainErrorCode } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';

/** Texts for refusals whose text on the wire is kept for clients and does not help an operator. */
const texts: Partial<Record<DomainErrorCode, string>> = {
  'username-taken': 'another account has this name',
  'account-not-found': 'the account was deleted meanwhile',
  'user-invalid': 'the account was deleted meanwhile',
  'role-unchangeable': 'the role of an account cannot change',
  'admin-undisableable': 'an administrator cannot be disabled',
  'admin-or-guest-undeletable': 'the guest and administrators cannot be deleted',
  'ssh-key-not-found': 'the account has no such SSH key',
  'session-not-found': 'the account has no such session',
  'access-token-not-found': 'the account has no such access token',
  'app-password-not-found': 'the account has no such app password',
  'deleted-setting-not-found': 'there is no such setting',
  'setting-not-deprecated': 'Keyfold knows this setting. Use "keyfold settings reset"',
};

/** compat: the refusals of settings name a hook of the original. */
const HOOK = /^failed to execute hook on (\w+): /;

/** Returns why a command was refused, without a full stop. */
export const refusalText = (error: DomainError): string =>
  texts[error.code] ?? refusalFor(error).message.replace(HOOK, '$1: ');
