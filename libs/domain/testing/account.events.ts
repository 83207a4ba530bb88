import { createHash } from 'node:crypto';
import type { LoginProtocol } from '../src/kernel/file-protocols.js';
import { ENROLMENT_LIFETIME } from '../src/account/account.decider.js';
import type {
  AccountDeleted,
  AccountDisabled,
  AccountEnabled,
  AccountRegistered,
  AccountRenamed,
  PasswordChanged,
  PasswordResealed,
  PermissionsChanged,
  ProfileChanged,
  RecoveryCodesGenerated,
  RecoveryCodesResealed,
  OneTimeCodeUsed,
  RecoveryCodeUsed,
  SessionsEvicted,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorEnrolmentStarted,
  TwoFactorLocked,
  TwoFactorUnlocked,
  TwoFactorSecretResealed,
} from '../src/account/account.events.js';

/** The current time of the tests, in unix milliseconds. */
export const NOON = Date.UTC(2026, 0, 15, 12);
/** In milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** Returns the hex SHA-256 of a name, as commands and events contain it. */
export const nameHashOf = (username: string) => createHash('sha256').update(username).digest('hex');

/** Returns the registration of account 7, with the general role, the first turn of its name and the password "first". */
export const registered = (
  username: string,
  differing: Partial<AccountRegistered['data']> = {},
): AccountRegistered => ({
  type: 'AccountRegistered',
  v: 1,
  data: {
    accountId: 7,
    username,
    nameHash: nameHashOf(username),
    turn: 1,
    role: 0,
    basePath: '/',
    permission: 0,
    disabled: false,
    ssoId: '',
    allowLdap: true,
    passwordTimestamp: 1_768_000_000,
    ...differing,
  },
  sealed: { passwordHash: 'sealed hash of first' },
});

export const passwordChanged = (password: string, passwordTimestamp: number): PasswordChanged => ({
  type: 'PasswordChanged',
  v: 1,
  data: { passwordTimestamp },
  sealed: { passwordHash: `sealed hash of ${password}` },
});

export const passwordResealed = (passwordHash: string): PasswordResealed => ({
  type: 'PasswordResealed',
  v: 1,
  data: {},
  sealed: { passwordHash },
});

export const twoFactorSecretResealed = (enrolment: number, secret: string): TwoFactorSecretResealed => ({
  type: 'TwoFactorSecretResealed',
  v: 1,
  data: { enrolment },
  sealed: { secret },
});

export const profileChanged = (data: ProfileChanged['data']): ProfileChanged => ({
  type: 'ProfileChanged',
  v: 1,
  data,
});

export const renamed = (formerUsername: string, username: string, turn = 1): AccountRenamed => ({
  type: 'AccountRenamed',
  v: 1,
  data: { username, nameHash: nameHashOf(username), turn, formerUsername },
});

export const permissionsChanged = (permission: number): PermissionsChanged => ({
  type: 'PermissionsChanged',
  v: 1,
  data: { permission },
});

export const disabled: AccountDisabled = { type: 'AccountDisabled', v: 1, data: {} };
export const enabled: AccountEnabled = { type: 'AccountEnabled', v: 1, data: {} };

export const enrolmentStarted = (enrolment: number, startedAt = NOON): TwoFactorEnrolmentStarted => ({
  type: 'TwoFactorEnrolmentStarted',
  v: 1,
  data: { enrolment, startedAt, expiresAt: startedAt + ENROLMENT_LIFETIME },
  sealed: { secret: `sealed secret ${enrolment}` },
});

export const twoFactorEnabled = (enrolment: number): TwoFactorEnabled => ({
  type: 'TwoFactorEnabled',
  v: 1,
  data: { enrolment },
});

export const twoFactorDisabled: TwoFactorDisabled = { type: 'TwoFactorDisabled', v: 1, data: {} };

export const twoFactorLocked = (failures = 100): TwoFactorLocked => ({
  type: 'TwoFactorLocked',
  v: 1,
  data: { failures },
});

export const twoFactorUnlocked: TwoFactorUnlocked = { type: 'TwoFactorUnlocked', v: 1, data: {} };

export const deleted = (username: string): AccountDeleted => ({ type: 'AccountDeleted', v: 1, data: { username } });

export const sessionsEvicted = (kept: string | null = null): SessionsEvicted => ({
  type: 'SessionsEvicted',
  v: 1,
  data: { kept },
});

export const recoveryCodesGenerated = (series: number, codes = 'sealed codes 1'): RecoveryCodesGenerated => ({
  type: 'RecoveryCodesGenerated',
  v: 1,
  data: { series, count: 10 },
  sealed: { codes },
});
export const recoveryCodesResealed = (series: number, codes: string): RecoveryCodesResealed => ({
  type: 'RecoveryCodesResealed',
  v: 1,
  data: { series },
  sealed: { codes },
});
export const oneTimeCodeUsed = (protocol: LoginProtocol): OneTimeCodeUsed => ({
  type: 'OneTimeCodeUsed',
  v: 1,
  data: { protocol },
});
export const recoveryCodeUsed = (series: number, index: number, left: number): RecoveryCodeUsed => ({
  type: 'RecoveryCodeUsed',
  v: 1,
  data: { series, index, left },
});
