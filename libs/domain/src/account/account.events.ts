import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';
import type { LoginProtocol } from '../kernel/file-protocols.js';

/** 0 general, 1 guest, 2 admin (wire contract 3.1). Other numbers are stored without a meaning, as in the original. */
export type Role = number;
export const ROLE_GUEST: Role = 1;
export const ROLE_ADMIN: Role = 2;

/** The fields of an account that an administrator sets, besides name and password (wire contract 3.1). */
export type AccountFields = Readonly<{
  role: Role;
  basePath: string;
  permission: number;
  disabled: boolean;
  ssoId: string;
  allowLdap: boolean;
}>;

/** The sealed argon2id hash of the static hash. */
export type PasswordHash = Readonly<{ passwordHash: string }>;

/**
 * An account was created. `passwordTimestamp` is the `pwd_ts` of its tokens in unix seconds (0 for the first admin and guest).
 * `nameHash` is the hex SHA-256 of the name, and `turn` counts the owners that the name has had.
 */
export type AccountRegistered = DomainEvent<
  'AccountRegistered',
  AccountFields & {
    accountId: number;
    username: string;
    nameHash: string;
    turn: number;
    passwordTimestamp: number;
  },
  PasswordHash
>;
/** The password was changed. This ends every session that was started with an older password. */
export type PasswordChanged = DomainEvent<'PasswordChanged', { passwordTimestamp: number }, PasswordHash>;
/**
 * The same password was sealed with another key, or hashed anew at the first login after an import. Sessions continue. The old event keeps
 * its text.
 */
export type PasswordResealed = DomainEvent<'PasswordResealed', object, PasswordHash>;
/** All sessions of the account were evicted, except the one in `kept`, if any. A login that was verified before is evicted too. */
export type SessionsEvicted = DomainEvent<'SessionsEvicted', { kept: string | null }, undefined>;
/** Fields that affect neither rights nor the name were changed. Contains only the changed fields. */
export type ProfileChanged = DomainEvent<
  'ProfileChanged',
  { basePath?: string; ssoId?: string; allowLdap?: boolean },
  undefined
>;
/** The account was renamed. Its tokens contain the old name and stop working. `NameRules` decide who may take the old name. */
export type AccountRenamed = DomainEvent<
  'AccountRenamed',
  { username: string; nameHash: string; turn: number; formerUsername: string },
  undefined
>;
/** The permissions were changed. Contains all bits of wire contract 3.2, not only the changed ones. */
export type PermissionsChanged = DomainEvent<'PermissionsChanged', { permission: number }, undefined>;
/** The account was disabled: its logins and all requests of its sessions are refused. The sessions do not end. */
export type AccountDisabled = DomainEvent<'AccountDisabled', object, undefined>;
/** The account was enabled: logins and earlier sessions work again, except sessions that ended in the meantime. */
export type AccountEnabled = DomainEvent<'AccountEnabled', object, undefined>;
/** A secret was shown to the account. It is valid until `expiresAt` or until the next one is shown. Times are in unix milliseconds. */
export type TwoFactorEnrolmentStarted = DomainEvent<
  'TwoFactorEnrolmentStarted',
  { enrolment: number; startedAt: number; expiresAt: number },
  Readonly<{ secret: string }>
>;
/** The secret of this enrolment, pending or completed, was sealed with another key. */
export type TwoFactorSecretResealed = DomainEvent<
  'TwoFactorSecretResealed',
  { enrolment: number },
  Readonly<{ secret: string }>
>;
/** The account confirmed the secret with a code. Logins now require a code. */
export type TwoFactorEnabled = DomainEvent<'TwoFactorEnabled', { enrolment: number }, undefined>;
/** The account itself, an administrator or the operator turned two-factor off. This lifts a lock of the code and drops the recovery codes. */
export type TwoFactorDisabled = DomainEvent<'TwoFactorDisabled', object, undefined>;
/** New recovery codes were shown to the account; they replace all earlier ones. `codes` are the hashes of all codes, in order. */
export type RecoveryCodesGenerated = DomainEvent<
  'RecoveryCodesGenerated',
  { series: number; count: number },
  Readonly<{ codes: string }>
>;
/** The hashes of the recovery codes were sealed with another key. */
export type RecoveryCodesResealed = DomainEvent<
  'RecoveryCodesResealed',
  { series: number },
  Readonly<{ codes: string }>
>;
/** A login was verified with the recovery code at `index`, which cannot be used again. This also lifts a lock of the code. */
export type RecoveryCodeUsed = DomainEvent<
  'RecoveryCodeUsed',
  { series: number; index: number; left: number },
  undefined
>;
/** A file server let the account in with a one-time code, which cannot be used again. Logins to the service itself are sessions instead. */
export type OneTimeCodeUsed = DomainEvent<'OneTimeCodeUsed', { protocol: LoginProtocol }, undefined>;
/**
 * Codes were locked after 100 wrong ones in a row: a stranger may know the password. A recovery code, an operator or disabling two-factor
 * lifts the lock.
 */
export type TwoFactorLocked = DomainEvent<'TwoFactorLocked', { failures: number }, undefined>;
/** The operator lifted the lock of the code. Two-factor stays on. */
export type TwoFactorUnlocked = DomainEvent<'TwoFactorUnlocked', object, undefined>;
/** The account was deleted. Its name is free; its id is never reused. */
export type AccountDeleted = DomainEvent<'AccountDeleted', { username: string }, undefined>;

export type AccountEvent =
  | AccountRegistered
  | PasswordChanged
  | PasswordResealed
  | SessionsEvicted
  | ProfileChanged
  | AccountRenamed
  | PermissionsChanged
  | AccountDisabled
  | AccountEnabled
  | TwoFactorEnrolmentStarted
  | TwoFactorSecretResealed
  | TwoFactorEnabled
  | TwoFactorDisabled
  | TwoFactorLocked
  | TwoFactorUnlocked
  | RecoveryCodesGenerated
  | RecoveryCodesResealed
  | RecoveryCodeUsed
  | OneTimeCodeUsed
  | AccountDeleted;

export const accountUpcasters: Upcasters<AccountEvent['type']> = {
  AccountRegistered: [],
  PasswordChanged: [],
  PasswordResealed: [],
  SessionsEvicted: [],
  ProfileChanged: [],
  AccountRenamed: [],
  PermissionsChanged: [],
  AccountDisabled: [],
  AccountEnabled: [],
  TwoFactorEnrolmentStarted: [],
  TwoFactorSecretResealed: [],
  TwoFactorEnabled: [],
  TwoFactorDisabled: [],
  TwoFactorLocked: [],
  TwoFactorUnlocked: [],
  RecoveryCodesGenerated: [],
  RecoveryCodesResealed: [],
  RecoveryCodeUsed: [],
  OneTimeCodeUsed: [],
  AccountDeleted: [],
};
