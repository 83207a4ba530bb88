/** The codes of all expected refusals. Codes are stable and never get another meaning. `http-envelope` has their HTTP messages. */
export type DomainErrorCode =
  // Identification of the caller. Thrown by `CallerIdentifier` unless another source is named.
  /** The header contains neither the static token nor one of our tokens, or the session is unknown or has ended. Also thrown by `accountDecider`. */
  | 'token-invalidated'
  /** The token or its session has expired. */
  | 'token-expired'
  /** The token is not valid yet, even allowing for clock skew. */
  | 'token-not-active'
  /** The account of the token was deleted or renamed, whether or not another account has the name now. */
  | 'account-not-found-for-token'
  /** The password was changed after the login. Also thrown by `accountDecider`. */
  | 'password-changed'
  /** The account of the session is disabled. Also thrown by `accountDecider`. */
  | 'account-disabled'
  /** There is no token, and the guest is disabled. */
  | 'guest-disabled'
  /** `requireAdmin`: the route is for administrators, and the caller is not one. */
  | 'not-an-admin'
  // Access tokens.
  /** `requireScope`: the access token lacks the scope that the route takes. Quotes the scope. */
  | 'access-token-scope-missing'
  /** `requireScope`: the route takes no access tokens. */
  | 'access-token-not-accepted'
  /** `requireNoAdmin`: an access token is used to change the account of an administrator. */
  | 'admin-unchangeable-by-token'
  /** `accessTokenKind`: the guest uses a route for the caller's own tokens. */
  | 'guest-has-no-tokens'
  /** Creating an access token without a session, with the static token. */
  | 'session-required'
  /** Creating an access token or an app password without the password or a code, when the login is not recent. */
  | 'step-up'
  /** Creating an access token with a scope that only administrators can give. Quotes the scope. */
  | 'access-token-scope-of-admins'
  /** `CreateAccessToken`: the name exceeds its limit in `TEXT_BYTES`. */
  | 'access-token-name-too-long'
  /** `CreateAccessToken`: the expiry is not in the future, or more than ten years away. */
  | 'access-token-expiry-invalid'
  /** `CreateAccessToken`: a token of the account that has not expired has exactly this name. */
  | 'access-token-name-taken'
  /** `CreateAccessToken`: the account has 100 tokens that have not expired, or has used up its token numbers. */
  | 'access-token-limit-reached'
  /** `RevokeAccessToken`: the account has no such token. */
  | 'access-token-not-found'
  // App passwords.
  /** `appPasswordKind`: the guest uses a route for the caller's own app passwords. */
  | 'guest-has-no-app-passwords'
  /** `appPasswordKind`: the caller has no session but the static token. */
  | 'app-password-session-required'
  /** `CreateAppPassword`: the name exceeds its limit in `TEXT_BYTES`. */
  | 'app-password-name-too-long'
  /** `CreateAppPassword`: the expiry is not in the future, or more than ten years away. */
  | 'app-password-expiry-invalid'
  /** `CreateAppPassword`: an app password of the account that has not expired has exactly this name. */
  | 'app-password-name-taken'
  /** `CreateAppPassword`: the account has 100 app passwords that have not expired, or has used up its numbers. */
  | 'app-password-limit-reached'
  /** `RevokeAppPassword`: the account has no such app password. */
  | 'app-password-not-found'
  // Login. Thrown by `LogInHandler` unless another source is named.
  /** Unknown name, or wrong or empty hash. The answer does not reveal which. */
  | 'invalid-credentials'
  /** The password or app password is right, but the account is disabled or may not log in over the protocol. Does not count as a failure. */
  | 'login-not-permitted'
  /** The password is right, two-factor is on and no code was sent. Does not count as a failure. */
  | 'one-time-code-required'
  /** The code or recovery code is wrong or was used before. Also thrown by `UseRecoveryCode`. */
  | 'one-time-code-invalid-at-login'
  /** Codes from unknown sources are refused after 100 wrong ones in a row, until the lock is lifted. Waiting does not help. */
  | 'one-time-code-locked'
  /** The throttle refuses the attempt unchecked, even a correct one, for `retryAfterSeconds`. */
  | 'too-many-attempts'
  /** `SetUpAdminHandler`: the code is wrong, or the setup is over. The answer does not reveal which. */
  | 'setup-refused'
  /** Always thrown by the route for LDAP logins. */
  | 'ldap-disabled'
  // Two-factor enrolment.
  /** `StartTwoFactorEnrolment` or `EnableTwoFactor` for the guest. */
  | 'guest-has-no-two-factor'
  /** `EnableTwoFactor`: wrong or used code, expired enrolment, or a secret other than the one shown last. */
  | 'enrolment-code-invalid'
  /** `StartTwoFactorEnrolment`: ten enrolments started within the hour. The next is possible after `retryAfterSeconds`. */
  | 'too-many-enrolments'
  /** `GenerateRecoveryCodes` without two-factor, or a code as the proof of an owner without it. */
  | 'two-factor-off'
  /** A change of the second factor without the password and without a code. */
  | 'proof-missing'
  /** A change that takes a proof of the owner, with a wrong password. */
  | 'password-wrong'
  /** A change that takes a proof of the owner, with a code that is wrong or was used before. */
  | 'one-time-code-invalid'
  // Profile and administration of accounts.
  /** `ChangeOwnProfile` for the guest. */
  | 'guest-has-no-profile'
  /** `RegisterAccount`, `UpdateAccount` or `ChangeOwnProfile` with a name that another account has. */
  | 'username-taken'
  /**
   * `ChangeOwnProfile` with a free name that only an administrator can assign: a system name, or one that another account released
   * recently. The answer does not reveal which.
   */
  | 'username-reserved'
  /** `RegisterAccount`, `UpdateAccount` or `ChangeOwnProfile` with the name of a stand-in, which not even an administrator can assign. */
  | 'username-of-stand-in'
  /** `RegisterAccount`, `UpdateAccount` or `ChangeOwnProfile`: a new text exceeds its limit in `TEXT_BYTES`. */
  | 'username-too-long'
  | 'base-path-too-long'
  | 'sso-id-too-long'
  /** A new password has fewer characters than the policy requires; `limit` is the minimum. */
  | 'password-too-short'
  /** A new password is on the list of common passwords, and the policy refuses those. */
  | 'password-too-common'
  /** `FindAccountQuery` without a name. */
  | 'username-empty'
  /** `RegisterAccount` with an id that is or was in use. */
  | 'account-id-taken'
  /** By id: `GetAccountQuery`, or any command for an account that does not exist or was deleted. */
  | 'account-not-found'
  /** By name: `FindAccountQuery` for a name that no account has. */
  | 'find-user-failed'
  /** By id: `ListAnySshKeysQuery` for an account that does not exist or was deleted. */
  | 'user-invalid'
  /** `UpdateAccount` with a different role. */
  | 'role-unchangeable'
  /** `UpdateAccount` that disables an administrator. */
  | 'admin-undisableable'
  /** `RegisterAccount` with the role of the admin or the guest, except at the first start. */
  | 'admin-or-guest-uncreatable'
  /** `DeleteAccount` for the admin or the guest. */
  | 'admin-or-guest-undeletable'
  // Sessions.
  /** A route for the caller's own sessions and recovery codes is used by the guest, whose account is shared. */
  | 'guest-has-no-sessions'
  /** `EvictOwnSessionsCommand` or `EvictAnySessionsCommand`: no such session, or for the former, a session of another account. */
  | 'session-not-found'
  /** `RevokeOwnEverythingCommand` without a session, with the static token. */
  | 'revocation-session-required'
  // History.
  /** A list of own activity: the account of the guest is shared. */
  | 'guest-has-no-history'
  // SSH keys.
  /** `refuseGuest`: the guest uses a route for the caller's own keys. */
  | 'guest-has-no-keys'
  /** `AddSshKey` or `UpdateSshKey`: the title exceeds its limit in `TEXT_BYTES`. Takes precedence over all others. */
  | 'ssh-key-title-too-long'
  /** `AddSshKey` or `UpdateSshKey`: the account has a key with exactly this title. Takes precedence over `ssh-key-invalid`. */
  | 'ssh-key-title-taken'
  /** `AddSshKey`: the text is not exactly one acceptable key. */
  | 'ssh-key-invalid'
  /** `AddSshKey`: the account has this key under another title. */
  | 'ssh-key-taken'
  /** `AddSshKey` or `UpdateSshKey`: the account has reached its limit of keys or of their bytes, or has used up its key numbers. */
  | 'ssh-key-limit-reached'
  /** `AddSshKey` or `UpdateSshKey`: the expiry does not lie in the future, or lies more than `LONGEST_EXPIRY` ahead. */
  | 'ssh-key-expiry-untimely'
  /** `RemoveSshKey`, `UpdateSshKey` or `RecordSshKeyUseCommand`: the account has no such key. */
  | 'ssh-key-not-found'
  /** `RecordSshKeyUseCommand`: the use is earlier than the key or in the future, by more than the allowed clock skew. */
  | 'ssh-key-use-untimely'
  // Settings.
  /** `GetSettingsQuery` for a key that no setting has. */
  | 'setting-not-found'
  /** `GetSettingsQuery` with so many keys that the answer would exceed its limit. */
  | 'too-many-settings-requested'
  /** `ChangeSettingsCommand` without a setting. */
  | 'no-settings-to-save'
  /** `ChangeSettingsCommand` with an unknown key that does not have the form of a key. */
  | 'setting-key-invalid'
  /** `ChangeSettings`: all settings together would exceed `SETTINGS_BYTES`. */
  | 'settings-too-large'
  /** A new static token that is empty, easy to guess or no header value. */
  | 'static-token-unsuitable'
  /** `ChangeSettings`: `multipart_chunk_size` is not a positive integer. Quotes the value. */
  | 'chunk-size-invalid'
  /** `ChangeSettings`: `filename_char_mapping` is not a JSON object of texts. */
  | 'character-mapping-invalid'
  /** `ChangeSettings`: `search_index` is not one of its options. Quotes the value. */
  | 'search-index-unknown'
  /** `ChangeSettings`: an address that browsers follow runs code, such as `javascript:`. */
  | 'setting-address-unsuitable'
  /** `ChangeSettingsCommand`: a line of `privacy_regs` is not a regular expression of RE2, or all are too large. Quotes the reason. */
  | 'privacy-patterns-invalid'
  /** `DeleteSetting` for a setting that Keyfold knows. Quotes its key. */
  | 'setting-not-deprecated'
  /** `DeleteSetting` for a key that no setting has. */
  | 'deleted-setting-not-found'
  | 'parked-messages-elsewhere';

/**
 * The details of a refusal: `retryAfterSeconds` if waiting helps, `limit` if the code concerns a configured limit, `quoted` if the message
 * quotes a text of the request.
 */
export type RefusalDetails = Readonly<{ retryAfterSeconds?: number; limit?: number; quoted?: string }>;

/** An expected refusal, identified by its code. */
export class DomainError extends Error {
  constructor(
    readonly code: DomainErrorCode,
    readonly details: RefusalDetails = {},
  ) {
    super(code);
    this.name = 'DomainError';
  }
}
