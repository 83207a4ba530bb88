import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import type { AccountFields } from './account.events.js';
import type { NameClaim } from './name-claim.js';
import type { NameRules } from './name-rules.js';

/** A password that was hashed and sealed; `timestamp` is its time in unix seconds. */
export type NewPassword = Readonly<{ sealedHash: string; timestamp: number }>;

/**
 * A new account under an id that none ever had. `name` must be free; two that ask for it at once are told apart by its hold, and one
 * is refused with `username-taken`.
 */
export type RegisterAccount = AccountFields &
  Readonly<{
    type: 'RegisterAccount';
    /** Only the first start may make the admin and the guest. */
    origin: 'first-start' | 'administrator';
    accountId: number;
    name: NameClaim;
    password: NewPassword;
  }>;

/** The whole account as an administrator wants it; only what differs becomes an event. Without `password` the old one stays. */
export type UpdateAccount = AccountFields &
  Readonly<{
    type: 'UpdateAccount';
    name: NameClaim;
    password?: NewPassword;
  }>;

/** A new password alone, whoever lost the old one; whatever else changes meanwhile stays. */
export type SetPassword = Readonly<{ type: 'SetPassword'; password: NewPassword }>;

/** What an account changes about itself; `now` in unix milliseconds. Without `password` the old one stays. */
export type ChangeOwnProfile = Readonly<{
  type: 'ChangeOwnProfile';
  /** The count of password changes that the caller's session verified; absent for the static token. */
  credential?: number | undefined;
  name: NameClaim;
  nameRules: NameRules;
  password?: NewPassword;
  ssoId: string;
  now: number;
}>;

/** A new secret was made for the account; `now` in unix milliseconds. */
export type StartTwoFactorEnrolment = Readonly<{
  type: 'StartTwoFactorEnrolment';
  /** The count of password changes that the caller's session verified; absent for the static token. */
  credential?: number | undefined;
  sealedSecret: string;
  now: number;
}>;

/** Proof of the secret of an enrolment: the step whose code was given, or none when the code or the secret was wrong. */
export type EnableTwoFactor = Readonly<{
  type: 'EnableTwoFactor';
  /** The count of password changes that the caller's session verified; absent for the static token. */
  credential?: number | undefined;
  enrolment: number;
  step: number | undefined;
  now: number;
}>;

/**
 * An administrator turns two-factor off, which lifts a lock of the code and forgets a secret that waits for its proof. When it is off
 * already there is no event, and such a secret stays.
 */
export type DisableTwoFactor = Readonly<{ type: 'DisableTwoFactor' }>;
/** `failures` wrong codes came in a row: none is taken from here on. Nothing happens when two-factor is off or locked already. */
export type LockTwoFactor = Readonly<{ type: 'LockTwoFactor'; failures: number }>;
/** The account ends for good, its name becomes free and its id is never given again. Refused for the admin and the guest. */
export type DeleteAccount = Readonly<{ type: 'DeleteAccount' }>;

export type AccountCommand =
  | RegisterAccount
  | UpdateAccount
  | SetPassword
  | ChangeOwnProfile
  | StartTwoFactorEnrolment
  | EnableTwoFactor
  | DisableTwoFactor
  | LockTwoFactor
  | ResealSecrets
  | DeleteAccount;
