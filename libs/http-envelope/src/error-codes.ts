import { SETTINGS_BYTES, TEXT_BYTES, type DomainError, type DomainErrorCode } from '@keyfold/domain';
import { goQuote } from './go-text.js';
import { Refusal, type RefusalRow } from './refusal.js';

const tooManyAttempts = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
};
/** The server's time is shown because a wrong clock is the usual cause of wrong codes (authelia/authelia#2068). */
const wrongCode = { message: 'Invalid 2FA code', showsTime: true } as const;
// The original stores texts of any length.
const tooLong = (what: string, bytes: number) => ({
  code: 400,
  message: `the ${what} is too long: at most ${bytes} bytes`,
  when: `the new ${what} has more than ${bytes} bytes as answers write it`,
});

// Access tokens and app passwords have the same limits.
const secretNameTooLong = {
  code: 400,
  message: `the name is too long: at most ${TEXT_BYTES.secretName} bytes`,
  when: `the name has more than ${TEXT_BYTES.secretName} bytes as answers write it`,
};
const secretExpiryInvalid = {
  code: 400,
  message: 'expires must be in the future and at most ten years away',
  when: '`expires` is in the past, or more than ten years away',
};

/** A value that the original's hook for a setting refuses. */
const hook = (key: string, cause: string, when: string) => ({
  code: 500,
  message: `failed to execute hook on ${key}: ${cause}`,
  when,
});

/** Maps each domain error to its refusal. Clients compare some of the messages. */
export const errorCodes = {
  // Identification of the caller: wire contract 1.6.
  'token-invalidated': {
    code: 401,
    message: 'token is invalidated',
    when: 'Keyfold did not issue the token, or its session has ended',
  },
  'token-expired': { code: 401, message: 'token is expired', when: 'the token or its session has expired' },
  'token-not-active': { code: 401, message: 'token not active yet', when: 'the token is not valid yet' },
  'account-not-found-for-token': {
    code: 401,
    message: 'failed find user: record not found',
    when: 'the account of the token was deleted or renamed',
  },
  'password-changed': {
    code: 401,
    message: 'Password has been changed, login please',
    when: 'the password was changed after the login',
  },
  'account-disabled': {
    code: 401,
    message: 'Current user is disabled, replace please',
    when: 'the account of the token is disabled',
  },
  'guest-disabled': {
    code: 401,
    message: 'Guest user is disabled, login please',
    when: 'no token was sent, and the guest is disabled',
  },
  'not-an-admin': { code: 403, message: 'You are not an admin', when: 'the caller is not an administrator' },

  // Login and its lock: wire contract 1.8 and 2.1. A missing code and a wrong code have the same text.
  'invalid-credentials': {
    code: 401,
    message: 'Invalid username or password',
    when: 'the name or the password is wrong, or the account is disabled',
  },
  'one-time-code-required': { code: 402, ...wrongCode, when: 'two-factor login is on, and no code was sent' },
  'one-time-code-invalid-at-login': { code: 402, ...wrongCode, when: 'the code is wrong or was used before' },
  'one-time-code-locked': {
    ...tooManyAttempts,
    when: 'no code is accepted after 100 wrong ones in a row, until two-factor login is turned off',
  },
  'too-many-attempts': {
    ...tooManyAttempts,
    when: 'too many attempts failed; `Retry-After` contains the seconds to wait',
  },
  'ldap-disabled': { code: 403, message: 'ldap is not enabled', when: 'always' },

  // Two-factor enrolment: wire contract 2.3.
  'guest-has-no-two-factor': {
    code: 403,
    message: 'Guest user can not generate 2FA code',
    when: 'the caller is the guest',
  },
  'enrolment-code-invalid': {
    code: 400,
    ...wrongCode,
    when: 'the code is wrong or was used before, or the secret is not the latest or is older than 10 minutes',
  },
  'too-many-enrolments': {
    ...tooManyAttempts,
    when: 'the account generated 10 secrets within an hour; `Retry-After` contains the seconds to wait',
  },
  'two-factor-off': { code: 400, message: 'two-factor login is off', when: 'two-factor login is off' },
  'proof-missing': {
    code: 400,
    message: 'send the password or a 2FA code',
    when: 'the body contains neither a password nor a code',
  },
  // Not 401, which front ends take for an ended session.
  'password-wrong': { code: 400, message: 'the password is wrong', when: 'the password is wrong' },
  'one-time-code-invalid': { code: 400, ...wrongCode, when: 'the code is wrong or was used before' },

  // Profile and administration of accounts: wire contract 1.11, 2.4 and 2.7. compat: several refusals carry 500.
  'guest-has-no-profile': { code: 403, message: 'Guest user can not update profile', when: 'the caller is the guest' },
  'username-taken': { code: 500, message: 'user name already exists', when: 'another account has this name' },
  // The original has no such rule. Both reasons share one text, so that it does not reveal which one applies.
  'username-reserved': {
    code: 500,
    message: 'this user name is reserved or was in use until recently, ask an administrator for it',
    when: 'only an administrator can assign this name',
  },
  'username-too-long': tooLong('user name', TEXT_BYTES.username),
  'base-path-too-long': tooLong('base path', TEXT_BYTES.basePath),
  'sso-id-too-long': tooLong('sso_id', TEXT_BYTES.ssoId),
  'password-too-short': {
    code: 400,
    message: 'the password is too short: at least {limit} characters',
    when: 'the operator requires longer passwords',
  },
  'password-too-common': {
    code: 400,
    message: 'the password is too common, choose another one',
    when: 'the operator refuses common passwords',
  },
  'username-empty': { code: 500, message: 'username is empty', when: '`username` is missing or empty' },
  'account-id-taken': { code: 500, message: 'user id already exists', when: 'the id is or was in use' },
  'account-not-found': { code: 500, message: 'failed get old user: record not found', when: 'no account has this id' },
  'find-user-failed': { code: 500, message: 'failed find user: record not found', when: 'no account has this name' },
  'user-invalid': { code: 404, message: 'user invalid', when: 'no account has this id' },
  'role-unchangeable': {
    code: 400,
    message: 'role can not be changed',
    when: '`role` differs from the role of the account',
  },
  'admin-undisableable': {
    code: 400,
    message: 'admin user can not be disabled',
    when: '`disabled` is true, and the account is an administrator',
  },
  'admin-or-guest-uncreatable': {
    code: 400,
    message: 'admin or guest user can not be created',
    when: '`role` is 1 or 2',
  },
  'admin-or-guest-undeletable': {
    code: 500,
    message: 'cannot delete admin or guest',
    when: 'the account is the guest or an administrator',
  },

  // Sessions: wire contract 2.11. AList has the second text.
  'guest-has-no-sessions': {
    code: 403,
    message: 'Guest user can not manage sessions',
    when: 'the caller is the guest',
  },
  'guest-has-no-history': { code: 403, message: 'Guest user can not see activity', when: 'the caller is the guest' },
  'session-not-found': {
    code: 400,
    message: 'failed find session: record not found',
    when: 'no session that the caller may end has this id',
  },

  // SSH keys: wire contract 2.5. "taken" and "limit" have texts of our own, because the original has no such rules.
  'guest-has-no-keys': { code: 401, message: 'user invalid', when: 'the caller is the guest' },
  'ssh-key-title-too-long': tooLong('title', TEXT_BYTES.title),
  'ssh-key-title-taken': {
    code: 500,
    message: 'key with the same title already exists',
    when: 'another key of the account has this title',
  },
  'ssh-key-invalid': {
    code: 400,
    message: 'provided key invalid',
    when: '`key` is not exactly one public key of an accepted type and size',
  },
  'ssh-key-taken': {
    code: 400,
    message: 'this key is already in the list',
    when: 'the account has this key under another title',
  },
  'ssh-key-limit-reached': {
    code: 400,
    message: 'the list of keys is full, delete one first',
    when: 'the account has 1,000 keys or 1 MiB of keys',
  },
  'ssh-key-expiry-untimely': {
    code: 400,
    message: 'the expiry must lie in the future, at most ten years ahead',
    when: '`expires` is in the past or more than ten years ahead',
  },
  'ssh-key-not-found': { code: 404, message: 'failed to get public key', when: 'the account has no key with this id' },
  // Only for messages, never for requests.
  'ssh-key-use-untimely': {
    code: 400,
    message: 'the time of use is before the key was added or in the future',
    when: 'the time of use is not possible',
  },

  // The refusals that concern access tokens. OpenList has none of them (wire contract 2.14).
  'access-token-scope-missing': {
    code: 403,
    message: 'the access token lacks the scope {quoted}',
    when: 'the access token does not have the scope',
  },
  'access-token-not-accepted': {
    code: 403,
    message: 'access tokens are not accepted here, log in instead',
    when: 'the token is an access token',
  },
  'admin-unchangeable-by-token': {
    code: 403,
    message: 'an access token can not change an administrator, log in instead',
    when: 'the token is an access token, and the account is an administrator',
  },
  'guest-has-no-tokens': {
    code: 403,
    message: 'Guest user can not have access tokens',
    when: 'the caller is the guest',
  },
  'session-required': {
    code: 403,
    message: 'the static token can not create access tokens, log in instead',
    when: 'the caller has the static token',
  },
  'access-token-scope-of-admins': {
    code: 403,
    message: 'only administrators can give the scope {quoted}',
    when: 'a scope is for administrators, and the caller is not one',
  },
  'access-token-name-too-long': secretNameTooLong,
  'access-token-expiry-invalid': secretExpiryInvalid,
  'access-token-name-taken': {
    code: 400,
    message: 'an access token with the same name already exists',
    when: 'another token of the account that has not expired has this name',
  },
  'access-token-limit-reached': {
    code: 400,
    message: 'the account has too many access tokens, revoke one first',
    when: 'the account has 100 tokens that have not expired',
  },
  'access-token-not-found': {
    code: 404,
    message: 'failed to find access token',
    when: 'no token that the caller may revoke has this id',
  },

  // The refusals that concern app passwords. OpenList has none of them (wire contract 2.15).
  'guest-has-no-app-passwords': {
    code: 403,
    message: 'Guest user can not have app passwords',
    when: 'the caller is the guest',
  },
  'app-password-session-required': {
    code: 403,
    message: 'the static token can not manage own app passwords, log in instead',
    when: 'the caller has the static token',
  },
  'app-password-name-too-long': secretNameTooLong,
  'app-password-expiry-invalid': secretExpiryInvalid,
  'app-password-name-taken': {
    code: 400,
    message: 'an app password with the same name already exists',
    when: 'another app password of the account that has not expired has this name',
  },
  'app-password-limit-reached': {
    code: 400,
    message: 'the account has too many app passwords, revoke one first',
    when: 'the account has 100 app passwords that have not expired',
  },
  'app-password-not-found': {
    code: 404,
    message: 'failed to find app password',
    when: 'no app password that the caller may revoke has this id',
  },

  // The refusals of settings (wire contract 2.8). compat: refused values carry 500 and name a hook.
  'setting-not-found': { code: 400, message: 'record not found', when: 'no setting has this key' },
  'too-many-settings-requested': {
    code: 400,
    message: 'the answer would be too long, name fewer keys',
    when: '`keys` contains so many keys that the answer would exceed its limit',
  },
  'no-settings-to-save': { code: 500, message: 'failed save setting: the list is empty', when: 'the list is empty' },
  'setting-key-invalid': {
    code: 400,
    message: 'a key of a setting consists of 1 to 128 letters, digits, underscores and hyphens',
    when: 'Keyfold does not know the setting, and its key has other characters or is too long',
  },
  'settings-too-large': {
    code: 400,
    message: `the settings are too long: at most ${SETTINGS_BYTES} bytes together`,
    when: 'all saved settings together would exceed the limit',
  },
  'static-token-unsuitable': hook(
    'token',
    'the static token must consist of 16 to 1024 visible ASCII characters and not look like an access token',
    'the new static token is empty, too short, too long, no header value or in the form of an access token',
  ),
  'chunk-size-invalid': hook(
    'multipart_chunk_size',
    'multipart chunk size must be a positive integer (MB), got {goQuoted}',
    '`multipart_chunk_size` is not a positive integer',
  ),
  'character-mapping-invalid': hook(
    'filename_char_mapping',
    'expected a JSON object whose values are texts',
    '`filename_char_mapping` is not a JSON object of texts',
  ),
  'search-index-unknown': hook(
    'search_index',
    'not support index: {quoted}',
    '`search_index` is not one of its options',
  ),
  'privacy-patterns-invalid': hook(
    'privacy_regs',
    '{quoted}',
    'a line of `privacy_regs` is not a regular expression of RE2, or all together are too large',
  ),
  'setting-not-deprecated': {
    code: 500,
    message: 'setting [{quoted}] is not deprecated',
    when: 'Keyfold knows the setting',
  },
  'deleted-setting-not-found': {
    code: 500,
    message: 'failed to get settingItem: record not found',
    when: 'no setting has this key',
  },
} as const satisfies Record<DomainErrorCode, RefusalRow>;

/** Returns the refusal for a domain error, with its limit or the text that it quotes. */
export function refusalFor({ code, details: { retryAfterSeconds, limit, quoted = '' } }: DomainError): Refusal {
  const row = errorCodes[code];
  const details: Readonly<Record<string, () => string>> = {
    limit: () => String(limit),
    quoted: () => quoted,
    goQuoted: () => goQuote(quoted),
  };
  const message = row.message.replace(/\{(\w+)\}/g, (_, name: string) => details[name]!());
  return new Refusal(row.code, message, { retryAfterSeconds, showsTime: 'showsTime' in row });
}
