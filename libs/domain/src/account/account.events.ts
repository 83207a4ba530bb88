import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** 0 general, 1 guest, 2 admin (wire contract 3.1); other numbers are kept as the original keeps them. */
export type Role = number;
export const ROLE_GUEST: Role = 1;
export const ROLE_ADMIN: Role = 2;

/** What an administrator writes about an account besides its name and password (wire contract 3.1). */
export type AccountFields = Readonly<{
  role: Role;
  basePath: string;
  permission: number;
  disabled: boolean;
  ssoId: string;
  allowLdap: boolean;
}>;

/** Sealed; opens to an argon2id hash of the static hash. */
export type PasswordHash = Readonly<{ passwordHash: string }>;

/**
 * The account exists from here on. `passwordTimestamp` is the `pwd_ts` of its tokens in unix seconds (0 for the first admin and
 * guest); `nameHash` is the hex SHA-256 of the name, `turn` counts the owners that the name has had.
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
/** A new password; it ends every session that was started with an older one. */
export type PasswordChanged = DomainEvent<'PasswordChanged', { passwordTimestamp: number }, PasswordHash>;
/** The same password, sealed with another key; sessions go on. The log keeps the old text, which nothing opens any more. */
export type PasswordResealed = DomainEvent<'PasswordResealed', object, PasswordHash>;
/** The fields that neither decide rights nor the name; only those that changed are there. */
export type ProfileChanged = DomainEvent<
  'ProfileChanged',
  { basePath?: string; ssoId?: string; allowLdap?: boolean },
  undefined
>;
/** A new name; tokens carry the old one and stop working. The old name is free from here on; `NameRules` say for whom. */
export type AccountRenamed = DomainEvent<
  'AccountRenamed',
  { username: string; nameHash: string; turn: number; formerUsername: string },
  undefined
>;
/** What the account may do from here on: all bits of wire contract 3.2, not only those that changed. */
export type PermissionsChanged = DomainEvent<'PermissionsChanged', { permission: number }, undefined>;
/** No login succeeds and every request of its sessions is refused; the sessions themselves do not end. */
export type AccountDisabled = DomainEvent<'AccountDisabled', object, undefined>;
/** Logins and the sessions from before work again, except those that something else has ended meanwhile. */
export type AccountEnabled = DomainEvent<'AccountEnabled', object, undefined>;
/** A secret was shown to the account; it counts until `expiresAt` (unix milliseconds) or until the next one is shown. */
export type TwoFactorEnrolmentStarted = DomainEvent<
  'TwoFactorEnrolmentStarted',
  { enrolment: number; startedAt: number; expiresAt: number },
  Readonly<{ secret: string }>
>;
/** The same secret of this enrolment, pending or in force, sealed with another key. */
export type TwoFactorSecretResealed = DomainEvent<
  'TwoFactorSecretResealed',
  { enrolment: number },
  Readonly<{ secret: string }>
>;
/** The account proved that it has the secret: logins need a code from here on. */
export type TwoFactorEnabled = DomainEvent<'TwoFactorEnabled', { enrolment: number }, undefined>;
/** An administrator, or the operator, turned two-factor off; this also lifts a lock of the one-time code. */
export type TwoFactorDisabled = DomainEvent<'TwoFactorDisabled', object, undefined>;
/** 100 wrong codes in a row: somebody knows the password. No code is accepted until two-factor is turned off. */
export type TwoFactorLocked = DomainEvent<'TwoFactorLocked', { failures: number }, undefined>;
/** The account is gone; its name is free, its id is never used again. */
export type AccountDeleted = DomainEvent<'AccountDeleted', { username: string }, undefined>;

export type AccountEvent =
  | AccountRegistered
  | PasswordChanged
  | PasswordResealed
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
  | AccountDeleted;

export const accountUpcasters = {
  AccountRegistered: { 1: 'current' },
  PasswordChanged: { 1: 'current' },
  PasswordResealed: { 1: 'current' },
  ProfileChanged: { 1: 'current' },
  AccountRenamed: { 1: 'current' },
  PermissionsChanged: { 1: 'current' },
  AccountDisabled: { 1: 'current' },
  AccountEnabled: { 1: 'current' },
  TwoFactorEnrolmentStarted: { 1: 'current' },
  TwoFactorSecretResealed: { 1: 'current' },
  TwoFactorEnabled: { 1: 'current' },
  TwoFactorDisabled: { 1: 'current' },
  TwoFactorLocked: { 1: 'current' },
  AccountDeleted: { 1: 'current' },
} satisfies Record<AccountEvent['type'], Upcasters[string]>;
