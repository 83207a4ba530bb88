import { describe, expect, it } from 'vitest';
import {
  changeOwnProfile,
  deleteAccount,
  disableTwoFactor,
  enableTwoFactor,
  lockTwoFactor,
  startEnrolment,
  unlockTwoFactor,
  update,
  useOneTimeCode,
} from '../../testing/account.commands.js';
import {
  deleted,
  enrolmentStarted,
  MINUTE,
  NOON,
  oneTimeCodeUsed,
  registered,
  SECOND,
  twoFactorDisabled,
  twoFactorEnabled,
  twoFactorLocked,
  twoFactorUnlocked,
} from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { accountDecider } from './account.decider.js';
import { ROLE_GUEST } from './account.events.js';

const ann = registered('ann');
const guest = registered('guest', { role: ROLE_GUEST });
const protectedAnn = [ann, enrolmentStarted(1), twoFactorEnabled(1)];
/** Enrolments started at noon and every minute after it. */
const shown = (count: number) => Array.from({ length: count }, (_, i) => enrolmentStarted(i + 1, NOON + i * MINUTE));

describe('StartTwoFactorEnrolment', () => {
  it('starts an enrolment that is valid for ten minutes', () => {
    given(accountDecider, ann).when(startEnrolment(1)).thenEvents(enrolmentStarted(1)).thenHolds();
  });

  it('numbers every enrolment', () => {
    given(accountDecider, ann, enrolmentStarted(1), twoFactorDisabled)
      .when(startEnrolment(2))
      .thenEvents(enrolmentStarted(2));
  });

  it('starts an enrolment while two-factor is on', () => {
    given(accountDecider, ...protectedAnn)
      .when(startEnrolment(2))
      .thenEvents(enrolmentStarted(2));
  });

  it('starts the tenth enrolment within an hour', () => {
    const now = NOON + 9 * MINUTE;
    given(accountDecider, ann, ...shown(9))
      .when(startEnrolment(10, now))
      .thenEvents(enrolmentStarted(10, now));
  });

  it.each([
    ['right after the tenth', NOON + 9 * MINUTE, 51 * 60],
    ['half a second before the first is an hour old', NOON + 60 * MINUTE - SECOND / 2, 1],
    ['a second and a bit before it', NOON + 60 * MINUTE - SECOND - 1, 2],
  ])('refuses the eleventh %s and says when it is free', (_when, now, retryAfterSeconds) => {
    given(accountDecider, ann, ...shown(10))
      .when(startEnrolment(11, now))
      .thenRefused('too-many-enrolments', retryAfterSeconds);
  });

  it('starts the eleventh once the first is an hour old', () => {
    const now = NOON + 60 * MINUTE;
    given(accountDecider, ann, ...shown(10))
      .when(startEnrolment(11, now))
      .thenEvents(enrolmentStarted(11, now));
  });

  it('counts completed and discarded enrolments', () => {
    const [first, ...others] = shown(10);
    given(accountDecider, ann, first!, twoFactorEnabled(1), twoFactorDisabled, ...others)
      .when(startEnrolment(11, NOON + 30 * MINUTE))
      .thenRefused('too-many-enrolments', 30 * 60);
  });

  it('refuses the guest', () => {
    given(accountDecider, guest).when(startEnrolment(1)).thenRefused('guest-has-no-two-factor');
  });
});

describe('EnableTwoFactor', () => {
  it('turns two-factor on and spends the code', () => {
    given(accountDecider, ann, enrolmentStarted(1))
      .when(enableTwoFactor(1, 58_949_280))
      .thenEvents(twoFactorEnabled(1))
      .thenHolds('otp:7:1:58949280')
      .thenTakenRefusal('enrolment-code-invalid');
  });

  it('replaces an active second factor', () => {
    given(accountDecider, ...protectedAnn, enrolmentStarted(2))
      .when(enableTwoFactor(2, 5))
      .thenEvents(twoFactorEnabled(2))
      .thenHolds('otp:7:2:5');
  });

  it('accepts the secret in the last millisecond of its ten minutes', () => {
    given(accountDecider, ann, enrolmentStarted(1))
      .when(enableTwoFactor(1, 5, NOON + 10 * MINUTE - 1))
      .thenEvents(twoFactorEnabled(1));
  });

  it('refuses the secret after its ten minutes', () => {
    given(accountDecider, ann, enrolmentStarted(1))
      .when(enableTwoFactor(1, 5, NOON + 10 * MINUTE))
      .thenRefused('enrolment-code-invalid');
  });

  it('refuses a wrong code', () => {
    given(accountDecider, ann, enrolmentStarted(1))
      .when(enableTwoFactor(1, undefined))
      .thenRefused('enrolment-code-invalid');
  });

  it.each([
    ['that was never shown', [ann]],
    ['that a later one replaced', [ann, enrolmentStarted(1), enrolmentStarted(2)]],
    ['that is complete', protectedAnn],
    ['that was discarded', [ann, enrolmentStarted(1), twoFactorDisabled]],
  ])('refuses a secret %s', (_which, history) => {
    given(accountDecider, ...history)
      .when(enableTwoFactor(1, 5))
      .thenRefused('enrolment-code-invalid');
  });

  it('refuses the guest before it checks the code', () => {
    given(accountDecider, guest).when(enableTwoFactor(1, undefined)).thenRefused('guest-has-no-two-factor');
  });
});

describe('DisableTwoFactor', () => {
  it('turns two-factor off', () => {
    given(accountDecider, ...protectedAnn)
      .when(disableTwoFactor)
      .thenEvents(twoFactorDisabled)
      .thenHolds();
  });

  it('lifts a lock', () => {
    given(accountDecider, ...protectedAnn, twoFactorLocked())
      .when(disableTwoFactor)
      .thenEvents(twoFactorDisabled);
  });

  it.each([
    ['was never on', [ann]],
    ['was turned off', [...protectedAnn, twoFactorDisabled]],
    ['was never on for the guest', [guest]],
    ['is off, with a pending enrolment', [ann, enrolmentStarted(1)]],
  ])('does nothing if it %s', (_why, history) => {
    given(accountDecider, ...history)
      .when(disableTwoFactor)
      .thenNothing();
  });
});

describe('UnlockTwoFactor', () => {
  it('lifts the lock and keeps the second factor', () => {
    given(accountDecider, ...protectedAnn, twoFactorLocked())
      .when(unlockTwoFactor)
      .thenEvents(twoFactorUnlocked)
      .thenHolds();
    const before = stateAfter(accountDecider, ...protectedAnn);
    expect(stateAfter(accountDecider, ...protectedAnn, twoFactorLocked(), twoFactorUnlocked)).toEqual(before);
  });

  it('allows the next lock', () => {
    given(accountDecider, ...protectedAnn, twoFactorLocked(), twoFactorUnlocked)
      .when(lockTwoFactor)
      .thenEvents(twoFactorLocked());
  });

  it.each([
    ['no second factor', [ann]],
    ['no lock', protectedAnn],
    ['only a pending enrolment', [ann, enrolmentStarted(1)]],
  ])('does nothing if there is %s', (_what, history) => {
    given(accountDecider, ...history)
      .when(unlockTwoFactor)
      .thenNothing();
  });
});

describe('LockTwoFactor', () => {
  it('locks the second factor', () => {
    given(accountDecider, ...protectedAnn)
      .when(lockTwoFactor)
      .thenEvents(twoFactorLocked(100))
      .thenHolds();
  });

  it('stays after another enrolment, because only an administrator lifts it', () => {
    const history = [...protectedAnn, twoFactorLocked(), enrolmentStarted(2), twoFactorEnabled(2)];
    expect(stateAfter(accountDecider, ...history).twoFactor).toMatchObject({ enrolment: 2, locked: true });
  });

  it('does nothing if it is already locked', () => {
    given(accountDecider, ...protectedAnn, twoFactorLocked())
      .when(lockTwoFactor)
      .thenNothing();
  });

  it.each([
    ['no second factor', [ann]],
    ['only a pending enrolment', [ann, enrolmentStarted(1)]],
  ])('does nothing if there is %s', (_what, history) => {
    given(accountDecider, ...history)
      .when(lockTwoFactor)
      .thenNothing();
  });
});

describe.each([
  ['absent', []],
  ['deleted', [ann, deleted('ann')]],
])('an account that is %s', (_status, history) => {
  it.each([
    update('ann', { role: 2, disabled: true }),
    changeOwnProfile('ann'),
    startEnrolment(1),
    enableTwoFactor(1, undefined),
    disableTwoFactor,
    lockTwoFactor,
    deleteAccount,
  ])('refuses $type', (command) => {
    given(accountDecider, ...history)
      .when(command)
      .thenRefused('account-not-found');
  });
});

describe('UseOneTimeCode', () => {
  it('spends the code for good', () => {
    given(accountDecider, registered('ann'), enrolmentStarted(1), twoFactorEnabled(1))
      .when(useOneTimeCode({ enrolment: 1, step: 5 }))
      .thenEvents(oneTimeCodeUsed('webdav'))
      .thenHolds('otp:7:1:5')
      .thenTakenRefusal('one-time-code-invalid-at-login');
  });

  it('is refused for a code of an earlier enrolment, and without two-factor', () => {
    for (const history of [[enrolmentStarted(2), twoFactorEnabled(2)], [twoFactorDisabled]])
      given(accountDecider, registered('ann'), enrolmentStarted(1), twoFactorEnabled(1), ...history)
        .when(useOneTimeCode({ enrolment: 1, step: 5 }))
        .thenRefused('one-time-code-invalid-at-login');
  });
});
