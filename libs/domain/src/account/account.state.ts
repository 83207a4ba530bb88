import type { AccountEvent, AccountFields } from './account.events.js';

/** A secret that was shown and not yet confirmed with a code. `expiresAt` is in unix milliseconds. */
export type Enrolment = Readonly<{ number: number; sealedSecret: string; expiresAt: number }>;
/** The codes of a series. `unused` contains the indexes of those that still work. */
export type RecoveryCodes = Readonly<{ series: number; sealedCodes: string; unused: readonly number[] }>;
/** The active second factor. `recoveryCodes` is null until codes are generated. */
export type TwoFactor = Readonly<{
  enrolment: number;
  sealedSecret: string;
  locked: boolean;
  recoveryCodes: RecoveryCodes | null;
}>;

/**
 * The state of an account. `absent` means that it has no events. A deleted account keeps only its id, so that no answer can show more.
 * `passwordTimestamp` is in unix seconds, and `turn` counts the owners of the name.
 */
export type Account = AccountFields &
  Readonly<{
    status: 'absent' | 'active' | 'deleted';
    accountId: number;
    username: string;
    nameHash: string;
    turn: number;
    sealedPasswordHash: string;
    passwordTimestamp: number;
    /** Counts password changes and evictions of sessions. A session stores the value at its login and works while it is current. */
    generation: number;
    /** The value of `generation` at the last password change. */
    passwordGeneration: number;
    /** The session that the last eviction kept; null since a password change. */
    keptSession: string | null;
    enrolments: number;
    /** When enrolments were started within the last hour, in unix milliseconds. */
    recentEnrolments: readonly number[];
    pendingEnrolment: Enrolment | null;
    twoFactor: TwoFactor | null;
    /** How often recovery codes were generated. */
    recoverySeries: number;
  }>;

/** The `generation` of an account that has never changed its password nor evicted its sessions. */
export const FIRST_GENERATION = 1;

/** The initial state of every account. A deleted account has this state again, except for status and id. */
export const absentAccount: Account = {
  status: 'absent',
  accountId: 0,
  username: '',
  nameHash: '',
  turn: 0,
  role: 0,
  basePath: '/',
  permission: 0,
  disabled: false,
  ssoId: '',
  allowLdap: true,
  sealedPasswordHash: '',
  passwordTimestamp: 0,
  generation: 0,
  passwordGeneration: 0,
  keptSession: null,
  enrolments: 0,
  recentEnrolments: [],
  pendingEnrolment: null,
  twoFactor: null,
  recoverySeries: 0,
};

/**
 * Returns why a session that was started with this generation no longer acts for the account, or undefined if it does. Knows nothing about
 * its logout and its expiry.
 */
export function sessionRefusal(
  { generation: current, passwordGeneration, keptSession }: Account,
  { generation, session }: Readonly<{ generation: number; session: string | undefined }>,
): 'password-changed' | 'token-invalidated' | undefined {
  if (generation === current || (session !== undefined && session === keptSession)) return undefined;
  return generation < passwordGeneration ? 'password-changed' : 'token-invalidated';
}

/** In milliseconds. */
export const HOUR = 3_600_000;

/** Returns the account after the event. Throws if no decision can have led to the event, such as completing an enrolment never started. */
export function evolve(account: Account, event: AccountEvent): Account {
  switch (event.type) {
    case 'AccountRegistered':
      return {
        ...account,
        ...event.data,
        status: 'active',
        sealedPasswordHash: event.sealed.passwordHash,
        generation: FIRST_GENERATION,
        passwordGeneration: FIRST_GENERATION,
      };
    case 'PasswordChanged':
      return {
        ...account,
        sealedPasswordHash: event.sealed.passwordHash,
        passwordTimestamp: event.data.passwordTimestamp,
        generation: account.generation + 1,
        passwordGeneration: account.generation + 1,
        keptSession: null,
      };
    case 'SessionsEvicted':
      return { ...account, generation: account.generation + 1, keptSession: event.data.kept };
    case 'PasswordResealed':
      return { ...account, sealedPasswordHash: event.sealed.passwordHash };
    case 'ProfileChanged':
    case 'PermissionsChanged':
      return { ...account, ...event.data };
    case 'AccountRenamed': {
      const { username, nameHash, turn } = event.data;
      return { ...account, username, nameHash, turn };
    }
    case 'AccountDisabled':
      return { ...account, disabled: true };
    case 'AccountEnabled':
      return { ...account, disabled: false };
    case 'TwoFactorEnrolmentStarted': {
      const { enrolment, startedAt, expiresAt } = event.data;
      return {
        ...account,
        enrolments: enrolment,
        recentEnrolments: [...account.recentEnrolments.filter((at) => at > startedAt - HOUR), startedAt],
        pendingEnrolment: { number: enrolment, sealedSecret: event.sealed.secret, expiresAt },
      };
    }
    case 'TwoFactorSecretResealed': {
      const { twoFactor, pendingEnrolment } = account;
      const sealedSecret = event.sealed.secret;
      if (twoFactor?.enrolment === event.data.enrolment)
        return { ...account, twoFactor: { ...twoFactor, sealedSecret } };
      if (pendingEnrolment?.number === event.data.enrolment)
        return { ...account, pendingEnrolment: { ...pendingEnrolment, sealedSecret } };
      throw new Error(
        `cannot reseal the secret of enrolment ${event.data.enrolment}: it is neither active nor pending`,
      );
    }
    case 'TwoFactorEnabled': {
      const pending = account.pendingEnrolment;
      if (pending?.number !== event.data.enrolment)
        throw new Error(`cannot complete enrolment ${event.data.enrolment}: it is not pending`);
      return {
        ...account,
        pendingEnrolment: null,
        twoFactor: {
          enrolment: pending.number,
          sealedSecret: pending.sealedSecret,
          locked: account.twoFactor?.locked ?? false,
          recoveryCodes: account.twoFactor?.recoveryCodes ?? null,
        },
      };
    }
    case 'TwoFactorDisabled':
      return { ...account, twoFactor: null, pendingEnrolment: null };
    case 'TwoFactorLocked':
      return account.twoFactor ? { ...account, twoFactor: { ...account.twoFactor, locked: true } } : account;
    case 'TwoFactorUnlocked':
      return withTwoFactor(account, { locked: false });
    case 'RecoveryCodesGenerated': {
      const { series, count } = event.data;
      const unused = Array.from({ length: count }, (_, index) => index);
      const recoveryCodes = { series, sealedCodes: event.sealed.codes, unused };
      return { ...withTwoFactor(account, { recoveryCodes }), recoverySeries: series };
    }
    case 'RecoveryCodesResealed':
      return withRecoveryCodes(account, event.data.series, () => ({ sealedCodes: event.sealed.codes }));
    case 'RecoveryCodeUsed': {
      const { series, index } = event.data;
      const unlocked = withTwoFactor(account, { locked: false });
      return withRecoveryCodes(unlocked, series, ({ unused }) => ({ unused: unused.filter((n) => n !== index) }));
    }
    case 'OneTimeCodeUsed':
      return account;
    case 'AccountDeleted':
      return { ...absentAccount, status: 'deleted', accountId: account.accountId };
  }
}

function withTwoFactor(account: Account, changes: Partial<TwoFactor>): Account {
  if (!account.twoFactor) throw new Error('cannot change the second factor: two-factor is off');
  return { ...account, twoFactor: { ...account.twoFactor, ...changes } };
}

function withRecoveryCodes(
  account: Account,
  series: number,
  change: (codes: RecoveryCodes) => Partial<RecoveryCodes>,
): Account {
  const codes = account.twoFactor?.recoveryCodes;
  if (codes?.series !== series) throw new Error(`series ${series} of recovery codes is not the last one`);
  return withTwoFactor(account, { recoveryCodes: { ...codes, ...change(codes) } });
}
