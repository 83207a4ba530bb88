import { SETTINGS_BYTES, STAND_IN_PREFIX, TEXT_BYTES, type DomainError, type DomainErrorCode } from '@keyfold/domain';
import { goQuote } from './go-text.js';
import { Refusal, row, type RefusalRow } from './refusal.js';

const tooManyAttempts = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
};
/** The server's time is shown because a wrong clock is the usual cause of wrong codes (authelia/authelia#2068). */
const wrongCode = { message: 'Invalid 2FA code', showsTime: true } as const;
// The original stores texts of any length.
const tooLong = (what: string, bytes: number) =>
  row(
    400,
    `the ${what} is too long: at most ${bytes} bytes`,
    `the new ${what} has more than ${bytes} bytes as answers write it`,
  );

// Access tokens and app passwords have the same limits.
const secretNameTooLong = row(
  400,
  `the name is too long: at most ${TEXT_BYTES.secretName} bytes`,
  `the name has more than ${TEXT_BYTES.secretName} bytes as answers write it`,
);
const secretExpiryInvalid = row(
  400,
  'expires must be in the future and at most ten years away',
  '`expires` is in the past, or more than ten years away',
);

/** A value that the original's hook for a setting refuses. */
const hook = (key: string, cause: string, when: string) => row(500, `failed to execute hook on ${key}: ${cause}`, when);

/** Maps each domain error to its refusal. Clients compare some of the messages. */
export const errorCodes: Readonly<Record<DomainErrorCode, RefusalRow>> = {
  // Identification of the caller: wire contract 1.6.
  'token-invalidated': row(401, 'token is invalidated', 'Keyfold did not issue the token, or its session has ended'),
  'token-expired': row(401, 'token is expired', 'the token or its session has expired'),
  'token-not-active': row(401, 'token not active yet', 'the token is not valid yet'),
  'account-not-found-for-token': row(
    401,
    'failed find user: record not found',
    'the account of the token was deleted or renamed',
  ),
  'password-changed': row(401, 'Password has been changed, login please', 'the password was changed after the login'),
  'account-disabled': row(401, 'Current user is disabled, replace please', 'the account of the token is disabled'),
  'guest-disabled': row(401, 'Guest user is disabled, login please', 'no token was sent, and the guest is disabled'),
  'not-an-admin': row(403, 'You are not an admin', 'the caller is not an administrator'),

  // Login and its lock: wire contract 1.8 and 2.1. A missing code and a wrong code have the same text.
  'invalid-credentials': row(401, 'Invalid username or password', 'the name or the password is wrong'),
  'login-not-permitted': row(401, 'Invalid username or password', 'the account is disabled'),
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
  // OpenList has no setup. One text for every reason, so that it does not reveal which one applies.
  'setup-refused': row(
    403,
    'the setup code is wrong, or the setup is over: then log in, or run "keyfold account set-password admin"',
    'the code is wrong, or the setup is over',
  ),
  'ldap-disabled': row(403, 'ldap is not enabled', 'always'),

  // Two-factor enrolment: wire contract 2.3.
  'guest-has-no-two-factor': row(403, 'Guest user can not generate 2FA code', 'the caller is the guest'),
  'enrolment-code-invalid': {
    code: 400,
    ...wrongCode,
    when: 'the code is wrong or was used before, or the secret is not the latest or is older than 10 minutes',
  },
  'too-many-enrolments': {
    ...tooManyAttempts,
    when: 'the account generated 10 secrets within an hour; `Retry-After` contains the seconds to wait',
  },
  'two-factor-off': row(400, 'two-factor login is off', 'two-factor login is off'),
  'proof-missing': row(400, 'send the password or a 2FA code', 'the body contains neither a password nor a code'),
  // Not 401, which front ends take for an ended session.
  'password-wrong': row(400, 'the password is wrong', 'the password is wrong'),
  'one-time-code-invalid': { code: 400, ...wrongCode, when: 'the code is wrong or was used before' },

  // Profile and administration of accounts: wire contract 1.11, 2.4 and 2.7. compat: several refusals carry 500.
  'guest-has-no-profile': row(403, 'Guest user can not update profile', 'the caller is the guest'),
  'username-taken': row(500, 'user name already exists', 'another account has this name'),
  // The original has no such rule. Both reasons share one text, so that it does not reveal which one applies.
  'username-reserved': row(
    500,
    'this user name is reserved or was in use until recently, ask an administrator for it',
    'only an administrator can assign this name',
  ),
  'username-of-stand-in': row(
    500,
    `user names must not begin with ${STAND_IN_PREFIX}`,
    `the name begins with \`${STAND_IN_PREFIX}\`, in whatever letter case`,
  ),
  'username-too-long': tooLong('user name', TEXT_BYTES.username),
  'base-path-too-long': tooLong('base path', TEXT_BYTES.basePath),
  'sso-id-too-long': tooLong('sso_id', TEXT_BYTES.ssoId),
  'password-too-short': row(
    400,
    'the password is too short: at least {limit} characters',
    'the operator requires longer passwords',
  ),
  'password-too-common': row(
    400,
    'the password is too common, choose another one',
    'the operator refuses common passwords',
  ),
  'username-empty': row(500, 'username is empty', '`username` is missing or empty'),
  'account-id-taken': row(500, 'user id already exists', 'the id is or was in use'),
  'account-not-found': row(500, 'failed get old user: record not found', 'no account has this id'),
  'find-user-failed': row(500, 'failed find user: record not found', 'no account has this name'),
  'user-invalid': row(404, 'user invalid', 'no account has this id'),
  'role-unchangeable': row(400, 'role can not be changed', '`role` differs from the role of the account'),
  'admin-undisableable': row(
    400,
    'admin user can not be disabled',
    '`disabled` is true, and the account is an administrator',
  ),
  'admin-or-guest-uncreatable': row(400, 'admin or guest user can not be created', '`role` is 1 or 2'),
  'admin-or-guest-undeletable': row(
    500,
    'cannot delete admin or guest',
    'the account is the guest or an administrator',
  ),

  // Sessions: wire contract 2.11. AList has the second text.
  'guest-has-no-sessions': row(403, 'Guest user can not manage sessions', 'the caller is the guest'),
  'guest-has-no-history': row(403, 'Guest user can not see activity', 'the caller is the guest'),
  'session-not-found': row(
    400,
    'failed find session: record not found',
    'no session that the caller may end has this id',
  ),
  'revocation-session-required': row(
    403,
    'the static token can not revoke everything of its own account, log in instead',
    'the caller has the static token',
  ),

  // SSH keys: wire contract 2.5. "taken" and "limit" have texts of our own, because the original has no such rules.
  'guest-has-no-keys': row(401, 'user invalid', 'the caller is the guest'),
  'ssh-key-title-too-long': tooLong('title', TEXT_BYTES.title),
  'ssh-key-title-taken': row(
    500,
    'key with the same title already exists',
    'another key of the account has this title',
  ),
  'ssh-key-invalid': row(
    400,
    'provided key invalid',
    '`key` is not exactly one public key of an accepted type and size',
  ),
  'ssh-key-taken': row(400, 'this key is already in the list', 'the account has this key under another title'),
  'ssh-key-limit-reached': row(
    400,
    'the list of keys is full, delete one first',
    'the account has 1,000 keys or 1 MiB of keys',
  ),
  'ssh-key-expiry-untimely': row(
    400,
    'the expiry must lie in the future, at most ten years ahead',
    '`expires` is in the past or more than ten years ahead',
  ),
  'ssh-key-not-found': row(404, 'failed to get public key', 'the account has no key with this id'),
  // Only for messages, never for requests.
  'ssh-key-use-untimely': row(
    400,
    'the time of use is before the key was added or in the future',
    'the time of use is not possible',
  ),

  // The refusals that concern access tokens. OpenList has none of them (wire contract 2.14).
  'access-token-scope-missing': row(
    403,
    'the access token lacks the scope {quoted}',
    'the access token does not have the scope',
  ),
  'access-token-not-accepted': row(
    403,
    'access tokens are not accepted here, log in instead',
    'the token is an access token',
  ),
  'admin-unchangeable-by-token': row(
    403,
    'an access token can not change an administrator, log in instead',
    'the token is an access token, and the account is an administrator',
  ),
  'guest-has-no-tokens': row(403, 'Guest user can not have access tokens', 'the caller is the guest'),
  'session-required': row(
    403,
    'the static token can not create access tokens, log in instead',
    'the caller has the static token',
  ),
  // No other refusal has this code, so that front ends know when to ask for a password or a code. Not 401, which ends their session.
  'step-up': row(
    428,
    'the login is older than 10 minutes, send the password or a 2FA code',
    'the login is older than 10 minutes, and the body contains neither a password nor a code',
  ),
  'access-token-scope-of-admins': row(
    403,
    'only administrators can give the scope {quoted}',
    'a scope is for administrators, and the caller is not one',
  ),
  'access-token-name-too-long': secretNameTooLong,
  'access-token-expiry-invalid': secretExpiryInvalid,
  'access-token-name-taken': row(
    400,
    'an access token with the same name already exists',
    'another token of the account that has not expired has this name',
  ),
  'access-token-limit-reached': row(
    400,
    'the account has too many access tokens, revoke one first',
    'the account has 100 tokens that have not expired',
  ),
  'access-token-not-found': row(404, 'failed to find access token', 'no token that the caller may revoke has this id'),

  // The refusals that concern app passwords. OpenList has none of them (wire contract 2.15).
  'guest-has-no-app-passwords': row(403, 'Guest user can not have app passwords', 'the caller is the guest'),
  'app-password-session-required': row(
    403,
    'the static token can not manage own app passwords, log in instead',
    'the caller has the static token',
  ),
  'app-password-name-too-long': secretNameTooLong,
  'app-password-expiry-invalid': secretExpiryInvalid,
  'app-password-name-taken': row(
    400,
    'an app password with the same name already exists',
    'another app password of the account that has not expired has this name',
  ),
  'app-password-limit-reached': row(
    400,
    'the account has too many app passwords, revoke one first',
    'the account has 100 app passwords that have not expired',
  ),
  'app-password-not-found': row(
    404,
    'failed to find app password',
    'no app password that the caller may revoke has this id',
  ),

  // The refusals of settings (wire contract 2.8). compat: refused values carry 500 and name a hook.
  'setting-not-found': row(400, 'record not found', 'no setting has this key'),
  'too-many-settings-requested': row(
    400,
    'the answer would be too long, name fewer keys',
    '`keys` contains so many keys that the answer would exceed its limit',
  ),
  'no-settings-to-save': row(500, 'failed save setting: the list is empty', 'the list is empty'),
  'setting-key-invalid': row(
    400,
    'a key of a setting consists of 1 to 128 letters, digits, underscores and hyphens',
    'Keyfold does not know the setting, and its key has other characters or is too long',
  ),
  'settings-too-large': row(
    400,
    `the settings are too long: at most ${SETTINGS_BYTES} bytes together`,
    'all saved settings together would exceed the limit',
  ),
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
  'setting-address-unsuitable': hook(
    '{quoted}',
    'an address must not run code: use one that begins with https:// or /',
    'an address that browsers follow begins with `javascript:` or the like',
  ),
  'privacy-patterns-invalid': hook(
    'privacy_regs',
    '{quoted}',
    'a line of `privacy_regs` is not a regular expression of RE2, or all together are too large',
  ),
  'setting-not-deprecated': row(500, 'setting [{quoted}] is not deprecated', 'Keyfold knows the setting'),
  'deleted-setting-not-found': row(500, 'failed to get settingItem: record not found', 'no setting has this key'),

  // The refusal of a retry. OpenList has none.
  'parked-messages-elsewhere': row(
    400,
    'this process has no connection to RabbitMQ, use keyfold queue redrive',
    '`kind` is `message`, and the answering process has no RabbitMQ, or that is unavailable',
  ),
};

/** Returns the refusal for a domain error, with its limit or the text that it quotes. */
export function refusalFor({ code: name, details: { retryAfterSeconds, limit, quoted = '' } }: DomainError): Refusal {
  const { code, message, showsTime = false } = errorCodes[name];
  const details: Readonly<Record<string, () => string>> = {
    limit: () => String(limit),
    quoted: () => quoted,
    goQuoted: () => goQuote(quoted),
  };
  const filled = message.replace(/\{(\w+)\}/g, (_, detail: string) => details[detail]!());
  return new Refusal(code, filled, { retryAfterSeconds, showsTime });
}
