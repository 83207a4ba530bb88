import { describe, expect, it } from 'vitest';
import {
  deleted,
  disabled,
  enabled,
  enrolmentStarted,
  MINUTE,
  nameHashOf,
  NOON,
  permissionsChanged,
  profileChanged,
  registered,
  renamed,
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

  it('forgets after an hour when secrets were shown', () => {
    const late = NOON + 60 * MINUTE;
    expect(account(ann, enrolmentStarted(1), enrolmentStarted(2, late)).recentEnrolments).toStrictEqual([late]);
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
