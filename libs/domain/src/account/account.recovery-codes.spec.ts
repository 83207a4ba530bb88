import { describe, expect, it } from 'vitest';
import { disableTwoFactor, generateRecoveryCodes, recoveryCode } from '../../testing/account.commands.js';
import {
  enrolmentStarted,
  recoveryCodesGenerated,
  recoveryCodeUsed,
  registered,
  twoFactorDisabled,
  twoFactorEnabled,
  twoFactorLocked,
} from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import type { AccountEvent } from './account.events.js';
import { accountDecider } from './account.decider.js';

const withTwoFactor = [registered('ann'), enrolmentStarted(1), twoFactorEnabled(1)];
const codesAfter = (...history: AccountEvent[]) =>
  stateAfter(accountDecider, ...withTwoFactor, ...history).twoFactor?.recoveryCodes;

describe('GenerateRecoveryCodes', () => {
  it('replaces all codes by a new series', () => {
    given(accountDecider, ...withTwoFactor)
      .when(generateRecoveryCodes())
      .thenEvents(recoveryCodesGenerated(1))
      .thenHolds();
    given(accountDecider, ...withTwoFactor, recoveryCodesGenerated(1), recoveryCodeUsed(1, 0, 9))
      .when(generateRecoveryCodes())
      .thenEvents(recoveryCodesGenerated(2));
  });

  it('spends the one-time code that proves the owner', () => {
    given(accountDecider, ...withTwoFactor)
      .when(generateRecoveryCodes({ usedCode: { enrolment: 1, step: 5 } }))
      .thenEvents(recoveryCodesGenerated(1))
      .thenHolds('otp:7:1:5')
      .thenTakenRefusal('one-time-code-invalid');
  });

  it('is refused without two-factor, and with a code of an earlier enrolment', () => {
    given(accountDecider, registered('ann')).when(generateRecoveryCodes()).thenRefused('two-factor-off');
    given(accountDecider, ...withTwoFactor, enrolmentStarted(2), twoFactorEnabled(2))
      .when(generateRecoveryCodes({ usedCode: { enrolment: 1, step: 5 } }))
      .thenRefused('one-time-code-invalid');
  });
});

describe('UseRecoveryCode', () => {
  it('spends the code and counts those that are left', () => {
    given(accountDecider, ...withTwoFactor, recoveryCodesGenerated(1), recoveryCodeUsed(1, 4, 9))
      .when(recoveryCode(1, 3))
      .thenEvents(recoveryCodeUsed(1, 3, 8));
  });

  it.each([
    ['used', [recoveryCodesGenerated(1), recoveryCodeUsed(1, 3, 9)]],
    ['replaced', [recoveryCodesGenerated(1), recoveryCodesGenerated(2)]],
    ['dropped with two-factor', [recoveryCodesGenerated(1), twoFactorDisabled]],
    ['never generated', []],
  ])('is refused for a code that was %s', (_what, history) => {
    given(accountDecider, ...withTwoFactor, ...history)
      .when(recoveryCode(1, 3))
      .thenRefused('one-time-code-invalid-at-login');
  });
});

describe('recovery codes', () => {
  it('lift a lock of one-time codes when one is used', () => {
    const history = [...withTwoFactor, recoveryCodesGenerated(1), twoFactorLocked()];
    expect(stateAfter(accountDecider, ...history).twoFactor?.locked).toBe(true);
    expect(stateAfter(accountDecider, ...history, recoveryCodeUsed(1, 0, 9)).twoFactor?.locked).toBe(false);
  });

  it('survive a new enrolment, and end with two-factor and with the account', () => {
    const codes = codesAfter(recoveryCodesGenerated(1), recoveryCodeUsed(1, 2, 9));
    expect(codes?.unused).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9]);
    expect(
      codesAfter(recoveryCodesGenerated(1), recoveryCodeUsed(1, 2, 9), enrolmentStarted(2), twoFactorEnabled(2)),
    ).toEqual(codes);
    const again = [twoFactorDisabled, enrolmentStarted(2), twoFactorEnabled(2)];
    expect(codesAfter(recoveryCodesGenerated(1), ...again)).toBeNull();
    given(accountDecider, ...withTwoFactor, recoveryCodesGenerated(1), ...again)
      .when(generateRecoveryCodes())
      .thenEvents(recoveryCodesGenerated(2));
  });

  it('are resealed with the other secrets', () => {
    given(accountDecider, ...withTwoFactor, recoveryCodesGenerated(1))
      .when({ type: 'ResealSecrets', resealed: new Map([['sealed codes 1', 'resealed']]) })
      .thenEvents({ type: 'RecoveryCodesResealed', v: 1, data: { series: 1 }, sealed: { codes: 'resealed' } });
  });
});

describe('a change of the second factor with a one-time code', () => {
  it('spends the code', () => {
    given(accountDecider, ...withTwoFactor)
      .when({ ...disableTwoFactor, usedCode: { enrolment: 1, step: 5 } })
      .thenEvents(twoFactorDisabled)
      .thenHolds('otp:7:1:5')
      .thenTakenRefusal('one-time-code-invalid');
  });

  it('does nothing if two-factor is off', () => {
    given(accountDecider, registered('ann'))
      .when({ ...disableTwoFactor, usedCode: { enrolment: 1, step: 5 } })
      .thenNothing();
  });
});
