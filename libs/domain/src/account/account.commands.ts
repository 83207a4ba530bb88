import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import type { AccountFields } from './account.events.js';
import type { NameClaim } from './name-claim.js';
import type { NameRules } from './name-rules.js';

/** A hashed and sealed password. `timestamp` is when it was set, in unix seconds. */
export type NewPassword = Readonly<{ sealedHash: string; timestamp: number }>;

/**
 * Registers an account under an id that was never used. `name` must be free: of two concurrent commands for one name, the hold admits
 * one, and the other is refused with `username-taken`.
 */
export type RegisterAccount = AccountFields &
  Readonly<{
    type: 'RegisterAccount';
    /** Only the first start may create the admin and the guest. */
    origin: 'first-start' | 'administrator';
    accountId: number;
    name: NameClaim;
    password: NewPassword;
  }>;

/** Sets all fields of an account; only changes become events. Without `password` the old one stays. */
export type UpdateAccount = AccountFields &
  Readonly<{
    type: 'UpdateAccount';
    name: NameClaim;
    password?: NewPassword;
  }>;

/** Sets the password and nothing else, so that it never undoes a concurrent change of another field. */
export type SetPassword = Readonly<{ type: 'SetPassword'; password: NewPassword }>;

/** Changes what an account may change about itself. Without `password` the old one stays. `now` is in unix milliseconds. */
export type ChangeOwnProfile = Readonly<{
  type: 'ChangeOwnProfile';
  /** The count of password changes that the caller's session was started with; absent for the static token. */
  credential?: number | undefined;
  name: NameClaim;
  nameRules: NameRules;
  password?: NewPassword;
  ssoId: string;
  now: number;
}>;

/** Starts an enrolment with a new two-factor secret. `now` is in unix milliseconds. */
export type StartTwoFactorEnrolment = Readonly<{
  type: 'StartTwoFactorEnrolment';
  /** The count of password changes that the caller's session was started with; absent for the static token. */
  credential?: number | undefined;
  sealedSecret: string;
  now: number;
}>;

/** Completes an enrolment. `step` is the time step of the given code, or undefined if the code or the secret was wrong. */
export type EnableTwoFactor = Readonly<{
  type: 'EnableTwoFactor';
  /** The count of password changes that the caller's session was started with; absent for the static token. */
  credential?: number | undefined;
  enrolment: number;
  step: number | undefined;
  now: number;
}>;

/**
 * Turns two-factor off, lifts a lock of the code and discards a pending enrolment. If two-factor is off already, nothing changes and a
 * pending enrolment stays.
 */
export type DisableTwoFactor = Readonly<{ type: 'DisableTwoFactor' }>;
/** Locks one-time codes after `failures` wrong ones in a row. Does nothing if two-factor is off or already locked. */
export type LockTwoFactor = Readonly<{ type: 'LockTwoFactor'; failures: number }>;
/** Deletes the account for good. Its name becomes free; its id is never reused. Refused for the admin and the guest. */
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
