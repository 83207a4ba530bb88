/** Every expected refusal. Codes are stable and never used again for something else; HTTP words live in `http-envelope`. */
export type DomainErrorCode =
  // Who a request speaks for, thrown by `CallerIdentifier` unless said otherwise.
  /** The header is neither the static token nor a token of ours, or its session is unknown or was ended. */
  | 'token-invalidated'
  /** The time of a session's token is over. */
  | 'token-expired'
  /** The token is not valid yet, even allowing for clock skew. */
  | 'token-not-active'
  /** The account of a token is deleted or has another name than the token, whoever has that name now. */
  | 'account-not-found-for-token'
  /** The password was set after the login. Also `accountDecider`. */
  | 'password-changed'
  /** The account of a session is disabled. Also `accountDecider`. */
  | 'account-disabled'
  /** No token, and the guest is disabled. */
  | 'guest-disabled'
  /** `requireAdmin`: the route is for administrators and the caller has another role. */
  | 'not-an-admin'
  // Login, thrown by `LogIn` unless said otherwise.
  /** Unknown name, wrong or empty hash, or a disabled account: which of them stays secret. */
  | 'invalid-credentials'
  /** The password was right, two-factor is on and no code was sent. Counts as no failure. */
  | 'one-time-code-required'
  /** The code is wrong, or it was used before. */
  | 'one-time-code-invalid-at-login'
  /** 100 wrong codes in a row: none is taken until two-factor is turned off. Waiting does not help. */
  | 'one-time-code-locked'
  /** The throttle refuses the try unchecked, also a right one; `retryAfterSeconds` says for how long. */
  | 'too-many-attempts'
  /** The route of LDAP logins, always. */
  | 'ldap-disabled'
  // Two-factor enrolment.
  /** `StartTwoFactorEnrolment` or `EnableTwoFactor` for the guest. */
  | 'guest-has-no-two-factor'
  /** `EnableTwoFactor`: wrong or used code, another secret than the one shown last, or that one's time is over. */
  | 'enrolment-code-invalid'
  /** `StartTwoFactorEnrolment`: ten secrets were shown within the hour; `retryAfterSeconds` says when the next may be. */
  | 'too-many-enrolments'
  // Profile and administration of accounts.
  /** `ChangeOwnProfile` for the guest. */
  | 'guest-has-no-profile'
  /** `RegisterAccount`, `UpdateAccount` or `ChangeOwnProfile` with a name that another account has. */
  | 'username-taken'
  /**
   * `ChangeOwnProfile` with a free name that only an administrator can give: a system name, or one that another account released not
   * long ago. Which of the two stays secret.
   */
  | 'username-reserved'
  /** `RegisterAccount`, `UpdateAccount` or `ChangeOwnProfile`: a new text has more bytes than `TEXT_BYTES` allows. */
  | 'username-too-long'
  | 'base-path-too-long'
  | 'sso-id-too-long'
  /** A new password has fewer characters than the policy asks for; `limit` says how many. */
  | 'password-too-short'
  /** A new password is on the list of common ones, which the policy refuses. */
  | 'password-too-common'
  /** `FindAccount` without a name. */
  | 'username-empty'
  /** `RegisterAccount` with an id that an account has or had. */
  | 'account-id-taken'
  /** By id: `GetAccount`, `RecordSshKeyUse` or any other command about an account that does not exist or was deleted. */
  | 'account-not-found'
  /** By name: `FindAccount` for a name that no account has. */
  | 'find-user-failed'
  /** By id: `ListSshKeysOf`, when an administrator asks for the keys of an account that does not exist or was deleted. */
  | 'user-invalid'
  /** `UpdateAccount` with another role than the account has. */
  | 'role-unchangeable'
  /** `UpdateAccount` that disables an administrator. */
  | 'admin-undisableable'
  /** `RegisterAccount` with the role of the admin or the guest, except by the first start. */
  | 'admin-or-guest-uncreatable'
  /** `DeleteAccount` of the admin or the guest. */
  | 'admin-or-guest-undeletable'
  // SSH keys.
  /** `requireKeyHolder`: the guest asks for any of the routes of own keys. */
  | 'guest-has-no-keys'
  /** `AddSshKey`: the title has more bytes than `TEXT_BYTES` allows. Comes before all others. */
  | 'ssh-key-title-too-long'
  /** `AddSshKey`: the account has a key of exactly this title. Comes before `ssh-key-invalid`. */
  | 'ssh-key-title-taken'
  /** `AddSshKey`: the text is not one key that is accepted. */
  | 'ssh-key-invalid'
  /** `AddSshKey`: the account has this key, under another title. */
  | 'ssh-key-taken'
  /** `AddSshKey`: the account has as many keys, or as many bytes of them, as it may, or has used up the numbers of its keys. */
  | 'ssh-key-limit-reached'
  /** `RemoveSshKey`, or a reported use: the account has no such key. */
  | 'ssh-key-not-found'
  /** `RecordSshKeyUse`: the reported use was before the key was added, or is in the future, by more than clocks differ. */
  | 'ssh-key-use-untimely'
  // Settings.
  /** `ChangeSettings` with a key that is not among the factory settings. */
  | 'setting-not-found';

/** An expected refusal. It is recognised by its code; `retryAfterSeconds` is set where waiting helps, `limit` where a setting bounds something. */
export class DomainError extends Error {
  constructor(
    readonly code: DomainErrorCode,
    readonly retryAfterSeconds?: number,
    readonly limit?: number,
  ) {
    super(code);
    this.name = 'DomainError';
  }
}
