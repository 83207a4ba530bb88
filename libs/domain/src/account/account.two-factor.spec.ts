import { describe, expect, it } from 'vitest';
import {
  changeOwnProfile,
  deleteAccount,
  disableTwoFactor,
  enableTwoFactor,
  generateRecoveryCodes,
  lockTwoFactor,
  recoveryCode,
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
  recoveryCodesGenerated,
  recoveryCodeUsed,
  registered,
  SECOND,
  twoFactorDisabled,
  twoFactorEnabled,
  twoFactorLocked,
  twoFactorUnlocked,
} from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { accountDecider } from './account.decider.js';
import { ROLE_GUEST, type AccountEvent } from './account.events.js';

const ann = registered('ann');
const pending = [ann, enrolmentStarted(1)];
const enabled = [...pending, twoFactorEnabled(1)];
const after = (history: readonly AccountEvent[]) => given(accountDecider, ...history);
const stateOf = (...history: readonly AccountEvent[]) => stateAfter(accountDecider, ...enabled, ...history);
const guest = after([registered('guest', { role: ROLE_GUEST })]);
/** Enrolments started at noon and every minute after it. */
const shown = (count: number) => Array.from({ length: count }, (_, i) => enrolmentStarted(i + 1, NOON + i * MINUTE));

describe('StartTwoFactorEnrolment', () => {
  it.each<[string, AccountEvent[], number, number?]>([
    ['starts an enrolment that is valid for ten minutes', [], 1],
    ['numbers every enrolment', [enrolmentStarted(1), twoFactorDisabled], 2],
    ['starts an enrolment while two-factor is on', [enrolmentStarted(1), twoFactorEnabled(1)], 2],
    ['starts the tenth enrolment within an hour', shown(9), 10, NOON + 9 * MINUTE],
    ['starts the eleventh once the first is an hour old', shown(10), 11, NOON + 60 * MINUTE],
  ])('%s', (_what, history, number, now = NOON) => {
    after([ann, ...history])
      .when(startEnrolment(number, now))
      .thenEvents(enrolmentStarted(number, now))
      .thenHolds();
  });

  const [first, ...others] = shown(10);
  it.each([
    ['right after the tenth', shown(10), NOON + 9 * MINUTE, 51 * 60],
    ['half a second before the first is an hour old', shown(10), NOON + 60 * MINUTE - SECOND / 2, 1],
    ['a second and a bit before it', shown(10), NOON + 60 * MINUTE - SECOND - 1, 2],
    ['if one was completed', [first!, twoFactorEnabled(1), twoFactorDisabled, ...others], NOON + 30 * MINUTE, 1_800],
  ])('refuses the eleventh %s and says when it is free', (_when, history, now, retryAfterSeconds) => {
    after([ann, ...history])
      .when(startEnrolment(11, now))
      .thenRefused('too-many-enrolments', retryAfterSeconds);
  });

  it('refuses the guest', () => {
    guest.when(startEnrolment(1)).thenRefused('guest-has-no-two-factor');
  });
});

describe('EnableTwoFactor', () => {
  it('turns two-factor on and spends the code', () => {
    after(pending)
      .when(enableTwoFactor(1, 58_949_280))
      .thenEvents(twoFactorEnabled(1))
      .thenHolds('otp:7:1:58949280')
      .thenTakenRefusal('enrolment-code-invalid');
  });

  it('replaces an active second factor', () => {
    after([...enabled, enrolmentStarted(2)])
      .when(enableTwoFactor(2, 5))
      .thenEvents(twoFactorEnabled(2))
      .thenHolds('otp:7:2:5');
  });

  it('accepts the secret in the last millisecond of its ten minutes', () => {
    after(pending)
      .when(enableTwoFactor(1, 5, NOON + 10 * MINUTE - 1))
      .thenEvents(twoFactorEnabled(1));
  });

  it.each([
    ['after its ten minutes', pending, 5, NOON + 10 * MINUTE],
    ['with a wrong code', pending, undefined, NOON],
    ['that was never shown', [ann], 5, NOON],
    ['that a later one replaced', [...pending, enrolmentStarted(2)], 5, NOON],
    ['that is complete', enabled, 5, NOON],
    ['that was discarded', [...pending, twoFactorDisabled], 5, NOON],
  ])('refuses a secret %s', (_which, history, step, now) => {
    after(history)
      .when(enableTwoFactor(1, step, now))
      .thenRefused('enrolment-code-invalid');
  });

  it('refuses the guest before it checks the code', () => {
    guest.when(enableTwoFactor(1, undefined)).thenRefused('guest-has-no-two-factor');
  });
});

describe('a change of the second factor', () => {
  it.each([
    ['DisableTwoFactor turns it off', [], disableTwoFactor, twoFactorDisabled],
    ['DisableTwoFactor lifts a lock', [twoFactorLocked()], disableTwoFactor, twoFactorDisabled],
    ['LockTwoFactor locks it', [], lockTwoFactor, twoFactorLocked(100)],
    ['LockTwoFactor locks it again', [twoFactorLocked(), twoFactorUnlocked], lockTwoFactor, twoFactorLocked()],
    ['UnlockTwoFactor lifts the lock', [twoFactorLocked()], unlockTwoFactor, twoFactorUnlocked],
  ])('%s', (_what, history, command, event) => {
    after([...enabled, ...history])
      .when(command)
      .thenEvents(event)
      .thenHolds();
  });

  const isOff = [
    ['was never on', [ann]],
    ['was turned off', [...enabled, twoFactorDisabled]],
    ['was never on for the guest', [registered('guest', { role: ROLE_GUEST })]],
    ['is off, with a pending enrolment', pending],
  ] as const;
  const usedCode = { enrolment: 1, step: 5 };
  it.each(isOff)('does nothing if two-factor %s', (_why, history) => {
    for (const command of [disableTwoFactor, { ...disableTwoFactor, usedCode }, lockTwoFactor, unlockTwoFactor])
      after(history).when(command).thenNothing();
  });

  it('does nothing if the code is locked or unlocked already', () => {
    after([...enabled, twoFactorLocked()])
      .when(lockTwoFactor)
      .thenNothing();
    after(enabled).when(unlockTwoFactor).thenNothing();
  });

  it.each([
    ['DisableTwoFactor', { ...disableTwoFactor, usedCode }, twoFactorDisabled, 'one-time-code-invalid'],
    ['GenerateRecoveryCodes', generateRecoveryCodes({ usedCode }), recoveryCodesGenerated(1), 'one-time-code-invalid'],
    ['UseOneTimeCode', useOneTimeCode(usedCode), oneTimeCodeUsed('webdav'), 'one-time-code-invalid-at-login'],
  ] as const)(
    'by %s spends the one-time code, which must be of the present enrolment',
    (_what, command, event, code) => {
      after(enabled).when(command).thenEvents(event).thenHolds('otp:7:1:5').thenTakenRefusal(code);
      after([...enabled, enrolmentStarted(2), twoFactorEnabled(2)])
        .when(command)
        .thenRefused(code);
    },
  );

  it('needs a second factor to use a one-time code', () => {
    after([...enabled, twoFactorDisabled])
      .when(useOneTimeCode(usedCode))
      .thenRefused('one-time-code-invalid-at-login');
  });
});

describe('a lock of the code', () => {
  it('stays after another enrolment, because only an administrator lifts it', () => {
    expect(stateOf(twoFactorLocked(), enrolmentStarted(2), twoFactorEnabled(2)).twoFactor).toMatchObject({
      enrolment: 2,
      locked: true,
    });
  });

  it('leaves no trace once it is lifted', () => {
    expect(stateOf(twoFactorLocked(), twoFactorUnlocked)).toEqual(stateOf());
  });

  it('is lifted by a recovery code', () => {
    const history = [recoveryCodesGenerated(1), twoFactorLocked()];
    expect(stateOf(...history).twoFactor?.locked).toBe(true);
    expect(stateOf(...history, recoveryCodeUsed(1, 0, 9)).twoFactor?.locked).toBe(false);
  });
});

describe('recovery codes', () => {
  const codesAfter = (...history: AccountEvent[]) => stateOf(...history).twoFactor?.recoveryCodes;
  const again = [twoFactorDisabled, enrolmentStarted(2), twoFactorEnabled(2)];

  it.each([
    ['the first', [], 1],
    ['all earlier ones', [recoveryCodesGenerated(1), recoveryCodeUsed(1, 0, 9)], 2],
    ['those that went with two-factor', [recoveryCodesGenerated(1), ...again], 2],
  ])('are numbered: GenerateRecoveryCodes replaces %s', (_what, history, number) => {
    after([...enabled, ...history])
      .when(generateRecoveryCodes())
      .thenEvents(recoveryCodesGenerated(number))
      .thenHolds();
  });

  it('are refused without two-factor', () => {
    after([ann]).when(generateRecoveryCodes()).thenRefused('two-factor-off');
  });

  it('are spent one by one, and those that are left are counted', () => {
    after([...enabled, recoveryCodesGenerated(1), recoveryCodeUsed(1, 4, 9)])
      .when(recoveryCode(1, 3))
      .thenEvents(recoveryCodeUsed(1, 3, 8));
  });

  it.each([
    ['used', [recoveryCodesGenerated(1), recoveryCodeUsed(1, 3, 9)]],
    ['replaced', [recoveryCodesGenerated(1), recoveryCodesGenerated(2)]],
    ['dropped with two-factor', [recoveryCodesGenerated(1), twoFactorDisabled]],
    ['never generated', []],
  ])('are refused if they were %s', (_what, history) => {
    after([...enabled, ...history])
      .when(recoveryCode(1, 3))
      .thenRefused('one-time-code-invalid-at-login');
  });

  it('survive a new enrolment, and end with two-factor', () => {
    const used = [recoveryCodesGenerated(1), recoveryCodeUsed(1, 2, 9)];
    expect(codesAfter(...used)?.unused).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9]);
    expect(codesAfter(...used, enrolmentStarted(2), twoFactorEnabled(2))).toEqual(codesAfter(...used));
    expect(codesAfter(recoveryCodesGenerated(1), ...again)).toBeNull();
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
    after(history).when(command).thenRefused('account-not-found');
  });
});
