import type { AccountEvent, AccountFields } from './account.events.js';

/** A secret that was shown and not yet proved. */
export type Enrolment = Readonly<{ number: number; sealedSecret: string; expiresAt: number }>;
/** The second factor in force. */
export type TwoFactor = Readonly<{ enrolment: number; sealedSecret: string; locked: boolean }>;

/**
 * An account as its events have it. `absent`: nothing happened yet. `deleted`: nothing is left but the id, so that no answer can show
 * more. `passwordTimestamp` in unix seconds; `turn` counts the owners of the name; `sealed…` opens with the keys of the service only.
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
    /** Counts password changes; a session carries the value that its login verified. */
    credential: number;
    enrolments: number;
    /** When secrets were shown within the last hour, unix milliseconds. */
    recentEnrolments: readonly number[];
    pendingEnrolment: Enrolment | null;
    twoFactor: TwoFactor | null;
  }>;

/** Where the fold of every account starts; also what a deleted one goes back to, but for status and id. */
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
  credential: 0,
  enrolments: 0,
  recentEnrolments: [],
  pendingEnrolment: null,
  twoFactor: null,
};

/** In milliseconds. */
export const HOUR = 3_600_000;

/** The account after the event. Throws on what no decision can have led to, such as a proof of an enrolment that is not the pending one. */
export function evolve(account: Account, event: AccountEvent): Account {
  switch (event.type) {
    case 'AccountRegistered':
      return {
        ...account,
        ...event.data,
        status: 'active',
        sealedPasswordHash: event.sealed.passwordHash,
        credential: 1,
      };
    case 'PasswordChanged':
      return {
        ...account,
        sealedPasswordHash: event.sealed.passwordHash,
        passwordTimestamp: event.data.passwordTimestamp,
        credential: account.credential + 1,
      };
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
      throw new Error(`there is no enrolment ${event.data.enrolment} to reseal`);
    }
    case 'TwoFactorEnabled': {
      const proved = account.pendingEnrolment;
      if (proved?.number !== event.data.enrolment)
        throw new Error(`enrolment ${event.data.enrolment} was never started`);
      return {
        ...account,
        pendingEnrolment: null,
        twoFactor: {
          enrolment: proved.number,
          sealedSecret: proved.sealedSecret,
          locked: account.twoFactor?.locked ?? false,
        },
      };
    }
    case 'TwoFactorDisabled':
      return { ...account, twoFactor: null, pendingEnrolment: null };
    case 'TwoFactorLocked':
      return account.twoFactor ? { ...account, twoFactor: { ...account.twoFactor, locked: true } } : account;
    case 'AccountDeleted':
      return { ...absentAccount, status: 'deleted', accountId: account.accountId };
  }
}
