import { describe, expect, it } from 'vitest';
import {
  deleted,
  disabled,
  enabled,
  enrolmentStarted,
  MINUTE,
  nameHashOf,
  NOON,
  passwordChanged,
  permissionsChanged,
  profileChanged,
  registered,
  renamed,
  sessionsEvicted,
  twoFactorDisabled,
  twoFactorEnabled,
  twoFactorLocked,
} from '../../testing/account.events.js';
import { stateAfter } from '../../testing/decider-specification.js';
import { accountDecider } from './account.decider.js';
import { absentAccount, type Account } from './account.state.js';
import type { AccountEvent } from './account.events.js';

const ann = registered('ann', { permission: 9, basePath: '/team', ssoId: 'idp|9' });
const account = (...history: AccountEvent[]) => stateAfter(accountDecider, ...history);
const fresh: Account = {
  status: 'active',
  accountId: 7,
  username: 'ann',
  nameHash: nameHashOf('ann'),
  turn: 1,
  role: 0,
  basePath: '/team',
  permission: 9,
  disabled: false,
  ssoId: 'idp|9',
  allowLdap: true,
  sealedPasswordHash: 'sealed hash of first',
  passwordTimestamp: 1_768_000_000,
  generation: 1,
  passwordGeneration: 1,
  keptSession: null,
  enrolments: 0,
  recentEnrolments: [],
  pendingEnrolment: null,
  twoFactor: null,
  recoverySeries: 0,
};

describe('the state of an account', () => {
  it('is absent before its first event', () => {
    expect(account()).toBe(absentAccount);
    expect(absentAccount.status).toBe('absent');
  });

  it('starts with the registered fields and the first generation', () => {
    expect(account(ann)).toStrictEqual(fresh);
  });

  it('counts password changes', () => {
    expect(
      account(ann, passwordChanged('second', 1_768_000_500), passwordChanged('third', 1_768_000_900)),
    ).toStrictEqual({
      ...fresh,
      sealedPasswordHash: 'sealed hash of third',
      passwordTimestamp: 1_768_000_900,
      generation: 3,
      passwordGeneration: 3,
    });
  });

  it('counts evictions, which leave the password as it is', () => {
    expect(account(ann, sessionsEvicted('s1'))).toStrictEqual({ ...fresh, generation: 2, keptSession: 's1' });
  });

  it('keeps the generation if anything else changes', () => {
    const others = [
      renamed('ann', 'bea'),
      profileChanged({ ssoId: '' }),
      permissionsChanged(1),
      disabled,
      enabled,
      enrolmentStarted(1),
      twoFactorEnabled(1),
      twoFactorLocked(),
      twoFactorDisabled,
    ];
    expect(account(ann, ...others).generation).toBe(1);
  });

  it('takes the changed profile fields', () => {
    expect(
      account(ann, profileChanged({ basePath: '/x', allowLdap: false }), profileChanged({ ssoId: '' })),
    ).toStrictEqual({ ...fresh, basePath: '/x', allowLdap: false, ssoId: '' });
  });

  it('takes a new name and forgets the former one', () => {
    expect(account(ann, renamed('ann', 'bea', 4))).toStrictEqual({
      ...fresh,
      username: 'bea',
      nameHash: nameHashOf('bea'),
      turn: 4,
    });
  });

  it('takes new permissions', () => {
    expect(account(ann, permissionsChanged(3))).toStrictEqual({ ...fresh, permission: 3 });
  });

  it('is disabled and enabled again', () => {
    expect(account(ann, disabled)).toStrictEqual({ ...fresh, disabled: true });
    expect(account(ann, disabled, enabled)).toStrictEqual(fresh);
  });

  it('has the secret that was shown last as its pending enrolment', () => {
    expect(account(ann, enrolmentStarted(1), enrolmentStarted(2, NOON + MINUTE))).toStrictEqual({
      ...fresh,
      enrolments: 2,
      recentEnrolments: [NOON, NOON + MINUTE],
      pendingEnrolment: { number: 2, sealedSecret: 'sealed secret 2', expiresAt: NOON + 11 * MINUTE },
    });
  });

  it('forgets after an hour when secrets were shown', () => {
    const late = NOON + 60 * MINUTE;
    expect(account(ann, enrolmentStarted(1), enrolmentStarted(2, late)).recentEnrolments).toStrictEqual([late]);
  });

  it('has the confirmed secret as its second factor', () => {
    expect(account(ann, enrolmentStarted(1), twoFactorEnabled(1))).toStrictEqual({
      ...fresh,
      enrolments: 1,
      recentEnrolments: [NOON],
      twoFactor: { enrolment: 1, sealedSecret: 'sealed secret 1', locked: false, recoveryCodes: null },
    });
  });

  it('keeps the active second factor while the next enrolment is pending', () => {
    expect(account(ann, enrolmentStarted(1), twoFactorEnabled(1), enrolmentStarted(2)).twoFactor?.enrolment).toBe(1);
  });

  it('locks the active second factor', () => {
    const locked = account(ann, enrolmentStarted(1), twoFactorEnabled(1), twoFactorLocked());
    expect(locked.twoFactor).toStrictEqual({
      enrolment: 1,
      sealedSecret: 'sealed secret 1',
      locked: true,
      recoveryCodes: null,
    });
  });

  it('has neither second factor nor pending enrolment once two-factor is disabled', () => {
    const off = account(ann, enrolmentStarted(1), twoFactorEnabled(1), enrolmentStarted(2), twoFactorDisabled);
    expect(off).toMatchObject({ twoFactor: null, pendingEnrolment: null, enrolments: 2 });
  });

  it('keeps only its id once it is deleted', () => {
    const gone = account(ann, enrolmentStarted(1), twoFactorEnabled(1), deleted('ann'));
    expect(gone).toStrictEqual({ ...absentAccount, status: 'deleted', accountId: 7 });
  });

  it('cannot be folded if a completed enrolment was not pending', () => {
    expect(() => account(ann, enrolmentStarted(1), twoFactorEnabled(2))).toThrow(
      'cannot complete enrolment 2: it is not pending',
    );
  });
});
