/** Every expected refusal. Codes are stable and never used again for something else; HTTP words live in `http-envelope`. */
export type DomainErrorCode =
  // who a request speaks for
  | 'token-invalidated'
  | 'token-expired'
  | 'account-not-found-for-token'
  | 'password-changed'
  | 'account-disabled'
  | 'guest-disabled'
  | 'not-an-admin'
  // login
  | 'invalid-credentials'
  | 'one-time-code-required'
  | 'one-time-code-invalid-at-login'
  | 'one-time-code-locked'
  | 'too-many-attempts'
  | 'ldap-disabled'
  // two-factor enrolment
  | 'guest-has-no-two-factor'
  | 'enrolment-code-invalid'
  | 'too-many-enrolments'
  // profile and administration of accounts
  | 'guest-has-no-profile'
  | 'username-taken'
  | 'username-empty'
  | 'account-id-taken'
  | 'account-not-found'
  | 'find-user-failed'
  | 'user-invalid'
  | 'role-unchangeable'
  | 'admin-undisableable'
  | 'admin-or-guest-uncreatable'
  | 'admin-or-guest-undeletable'
  // SSH keys
  | 'guest-has-no-keys'
  | 'ssh-key-title-taken'
  | 'ssh-key-invalid'
  | 'ssh-key-taken'
  | 'ssh-key-limit-reached'
  | 'ssh-key-not-found'
  | 'ssh-key-use-untimely'
  // settings
  | 'setting-not-found';

/** An expected refusal. It is recognised by its code; `retryAfterSeconds` is set where waiting helps. */
export class DomainError extends Error {
  constructor(
    readonly code: DomainErrorCode,
    readonly retryAfterSeconds?: number,
  ) {
    super(code);
    this.name = 'DomainError';
  }
}
