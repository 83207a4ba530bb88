import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import type { AccountFields } from './account.events.js';
import type { LoginProtocol } from '../kernel/file-protocols.js';
import type { NameClaim, NameRules } from './name-rules.js';

/**
 * The session of the caller, and the generation of the account when the caller was identified. The decider checks them again, because the
 * session may have ended since. Absent for the static token.
 */
export type CallerProof = Readonly<{ generation?: number | undefined; session?: string | undefined }>;

/** A right one-time code of an enrolment. */
export type UsedCode = Readonly<{ enrolment: number; step: number }>;

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

/**
 * Takes over an account of another service: registers it, or makes an existing one equal to it. Only changes become events. Without
 * `password` the old one stays; a new account needs one. `sealedSecret` is that of two-factor, or null if it is off; without it, two-factor
 * stays as it is. `now` is in unix milliseconds.
 */
export type ImportAccount = AccountFields &
  Readonly<{
    type: 'ImportAccount';
    accountId: number;
    name: NameClaim;
    password?: NewPassword | undefined;
    sealedSecret?: string | null | undefined;
    now: number;
  }>;

/** Sets the given fields of an account; only changes become events. A field that is not given stays as it is. */
export type UpdateAccount = Readonly<
  Partial<AccountFields> & {
    type: 'UpdateAccount';
    name?: NameClaim;
    password?: NewPassword;
  }
>;

/** Sets the password and nothing else, so that it never undoes a concurrent change of another field. */
export type SetPassword = CallerProof & Readonly<{ type: 'SetPassword'; password: NewPassword }>;

/** Evicts all sessions of the account but `kept`. */
export type EvictSessions = CallerProof & Readonly<{ type: 'EvictSessions'; kept: string | null }>;

/** Changes what an account may change about itself. Without `password` the old one stays. `now` is in unix milliseconds. */
export type ChangeOwnProfile = CallerProof &
  Readonly<{
    type: 'ChangeOwnProfile';
    name: NameClaim;
    nameRules: NameRules;
    password?: NewPassword;
    ssoId: string;
    now: number;
  }>;

/** Starts an enrolment with a new two-factor secret. `now` is in unix milliseconds. */
export type StartTwoFactorEnrolment = CallerProof &
  Readonly<{
    type: 'StartTwoFactorEnrolment';
    sealedSecret: string;
    now: number;
  }>;

/** Completes an enrolment. `step` is the time step of the given code, or undefined if the code or the secret was wrong. */
export type EnableTwoFactor = CallerProof &
  Readonly<{
    type: 'EnableTwoFactor';
    enrolment: number;
    step: number | undefined;
    now: number;
  }>;

/**
 * Turns two-factor off, lifts a lock of the code and discards a pending enrolment. If two-factor is off already, nothing changes and a
 * pending enrolment stays.
 */
export type DisableTwoFactor = CallerProof &
  Readonly<{
    type: 'DisableTwoFactor';
    /** The one-time code that proves the owner, if it was one. The commit spends it. */
    usedCode?: UsedCode | undefined;
  }>;
/** Replaces all recovery codes. `sealedCodes` contains the hashes of `count` codes. Refused with `two-factor-off` if two-factor is off. */
export type GenerateRecoveryCodes = CallerProof &
  Readonly<{ type: 'GenerateRecoveryCodes'; sealedCodes: string; count: number; usedCode?: UsedCode | undefined }>;
/** Spends a recovery code. Refused with `one-time-code-invalid-at-login` if it was used or replaced. */
export type UseRecoveryCode = Readonly<{ type: 'UseRecoveryCode'; series: number; index: number }>;
/** Spends a one-time code for a login to a file server. Refused with `one-time-code-invalid-at-login` if it was used or belongs to an earlier enrolment. */
export type UseOneTimeCode = Readonly<{ type: 'UseOneTimeCode'; usedCode: UsedCode; protocol: LoginProtocol }>;
/** Locks one-time codes after `failures` wrong ones in a row. Does nothing if two-factor is off or already locked. */
export type LockTwoFactor = Readonly<{ type: 'LockTwoFactor'; failures: number }>;
/** Lifts a lock of the code. Does nothing if it is not locked. */
export type UnlockTwoFactor = Readonly<{ type: 'UnlockTwoFactor' }>;
/** Deletes the account for good. Its name becomes free; its id is never reused. Refused for the admin and the guest. */
export type DeleteAccount = Readonly<{ type: 'DeleteAccount' }>;

export type AccountCommand =
  | RegisterAccount
  | ImportAccount
  | UpdateAccount
  | SetPassword
  | EvictSessions
  | ChangeOwnProfile
  | StartTwoFactorEnrolment
  | EnableTwoFactor
  | DisableTwoFactor
  | LockTwoFactor
  | UnlockTwoFactor
  | GenerateRecoveryCodes
  | UseRecoveryCode
  | UseOneTimeCode
  | ResealSecrets
  | DeleteAccount;
