import type { AccountFields } from './account.events.js';

/**
 * A user name as an account wants to hold it: the exact text, the hex SHA-256 of it, and the turn that is free next, or `taken`
 * when somebody held it at the time of looking (the holds decide when two look at once).
 */
export type NameClaim = Readonly<{ username: string; nameHash: string; turn: number | 'taken' }>;

/** A password that was hashed and sealed; `timestamp` is its time in unix seconds. */
export type NewPassword = Readonly<{ sealedHash: string; timestamp: number }>;

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

/** What an account changes about itself. Without `password` the old one stays. */
export type ChangeOwnProfile = Readonly<{
  type: 'ChangeOwnProfile';
  /** The count of password changes that the caller's session verified; absent for the static token. */
  credential?: number | undefined;
  name: NameClaim;
  password?: NewPassword;
  ssoId: string;
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

export type DisableTwoFactor = Readonly<{ type: 'DisableTwoFactor' }>;
export type LockTwoFactor = Readonly<{ type: 'LockTwoFactor'; failures: number }>;
export type DeleteAccount = Readonly<{ type: 'DeleteAccount' }>;

export type AccountCommand =
  | RegisterAccount
  | UpdateAccount
  | ChangeOwnProfile
  | StartTwoFactorEnrolment
  | EnableTwoFactor
  | DisableTwoFactor
  | LockTwoFactor
  | DeleteAccount;
