import { TEXT_BYTES, type DomainError, type DomainErrorCode } from '@keyfold/domain';
import { Refusal } from './refusal.js';

const tooManyAttempts = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
};
/** The server's time is shown because a wrong clock is the usual cause of wrong codes (authelia/authelia#2068). */
const wrongCode = { message: 'Invalid 2FA code', showsTime: true } as const;
const guestEnrols = 'Guest user can not generate 2FA code';
// The original stores texts of any length.
const tooLong = (what: string, bytes: number) => ({
  code: 400,
  message: `the ${what} is too long: at most ${bytes} bytes`,
});

/** Maps each domain error to the code and message of its refusal. Clients compare some of the messages. */
export const errorCodes = {
  // Identification of the caller: wire contract 1.6.
  'token-invalidated': { code: 401, message: 'token is invalidated' },
  'token-expired': { code: 401, message: 'token is expired' },
  'token-not-active': { code: 401, message: 'token not active yet' },
  'account-not-found-for-token': { code: 401, message: 'failed find user: record not found' },
  'password-changed': { code: 401, message: 'Password has been changed, login please' },
  'account-disabled': { code: 401, message: 'Current user is disabled, replace please' },
  'guest-disabled': { code: 401, message: 'Guest user is disabled, login please' },
  'not-an-admin': { code: 403, message: 'You are not an admin' },

  // Login and its lock: wire contract 1.8 and 2.1. A missing code and a wrong code have the same text.
  'invalid-credentials': { code: 401, message: 'Invalid username or password' },
  'one-time-code-required': { code: 402, ...wrongCode },
  'one-time-code-invalid-at-login': { code: 402, ...wrongCode },
  'one-time-code-locked': tooManyAttempts,
  'too-many-attempts': tooManyAttempts,
  'ldap-disabled': { code: 403, message: 'ldap is not enabled' },

  // Two-factor enrolment: wire contract 2.3.
  'guest-has-no-two-factor': { code: 403, message: guestEnrols },
  'enrolment-code-invalid': { code: 400, ...wrongCode },
  'too-many-enrolments': tooManyAttempts,
  'two-factor-off': { code: 400, message: 'two-factor login is off' },
  'proof-missing': { code: 400, message: 'send the password or a 2FA code' },
  // Not 401, which front ends take for an ended session.
  'password-wrong': { code: 400, message: 'the password is wrong' },
  'one-time-code-invalid': { code: 400, ...wrongCode },

  // Profile and administration of accounts: wire contract 1.11, 2.4 and 2.7. compat: several refusals carry 500.
  'guest-has-no-profile': { code: 403, message: 'Guest user can not update profile' },
  'username-taken': { code: 500, message: 'user name already exists' },
  // The original has no such rule. Both reasons share one text, so that it does not reveal which one applies.
  'username-reserved': {
    code: 500,
    message: 'this user name is reserved or was in use until recently, ask an administrator for it',
  },
  'username-too-long': tooLong('user name', TEXT_BYTES.username),
  'base-path-too-long': tooLong('base path', TEXT_BYTES.basePath),
  'sso-id-too-long': tooLong('sso_id', TEXT_BYTES.ssoId),
  'password-too-short': { code: 400, message: 'the password is too short: at least {limit} characters' },
  'password-too-common': { code: 400, message: 'the password is too common, choose another one' },
  'username-empty': { code: 500, message: 'username is empty' },
  'account-id-taken': { code: 500, message: 'user id already exists' },
  'account-not-found': { code: 500, message: 'failed get old user: record not found' },
  'find-user-failed': { code: 500, message: 'failed find user: record not found' },
  'user-invalid': { code: 404, message: 'user invalid' },
  'role-unchangeable': { code: 400, message: 'role can not be changed' },
  'admin-undisableable': { code: 400, message: 'admin user can not be disabled' },
  'admin-or-guest-uncreatable': { code: 400, message: 'admin or guest user can not be created' },
  'admin-or-guest-undeletable': { code: 500, message: 'cannot delete admin or guest' },

  // Sessions: wire contract 2.11. AList has the second text.
  'guest-has-no-sessions': { code: 403, message: 'Guest user can not manage sessions' },
  'session-not-found': { code: 400, message: 'failed find session: record not found' },

  // SSH keys: wire contract 2.5. "taken" and "limit" have texts of our own, because the original has no such rules.
  'guest-has-no-keys': { code: 401, message: 'user invalid' },
  'ssh-key-title-too-long': tooLong('title', TEXT_BYTES.title),
  'ssh-key-title-taken': { code: 500, message: 'key with the same title already exists' },
  'ssh-key-invalid': { code: 400, message: 'provided key invalid' },
  'ssh-key-taken': { code: 400, message: 'this key is already in the list' },
  'ssh-key-limit-reached': { code: 400, message: 'the list of keys is full, delete one first' },
  'ssh-key-not-found': { code: 404, message: 'failed to get public key' },
  // Only for messages, never for requests.
  'ssh-key-use-untimely': { code: 400, message: 'the time of use is before the key was added or in the future' },

  // Settings: wire contract 2.8.
  'setting-not-found': { code: 400, message: 'record not found' },
} as const satisfies Record<DomainErrorCode, { code: number; message: string; showsTime?: true }>;

/** Returns the refusal for a domain error. */
export function refusalFor({ code, retryAfterSeconds, limit }: DomainError): Refusal {
  const row = errorCodes[code];
  return new Refusal(row.code, row.message.replace('{limit}', String(limit)), {
    retryAfterSeconds,
    showsTime: 'showsTime' in row,
  });
}
