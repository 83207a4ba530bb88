import { describe, expect, it } from 'vitest';
import {
  deleted,
  enrolmentStarted,
  passwordChanged,
  passwordResealed,
  recoveryCodesGenerated,
  recoveryCodesResealed,
  registered,
  twoFactorEnabled,
  twoFactorLocked,
  twoFactorSecretResealed,
} from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import { accountDecider } from './account.decider.js';

const ann = registered('ann');
const reseal = (resealed: Record<string, string>): ResealSecrets => ({
  type: 'ResealSecrets',
  resealed: new Map(Object.entries(resealed)),
});

describe('ResealSecrets', () => {
  it('replaces the password and the secrets of the active second factor and the pending enrolment', () => {
    given(accountDecider, ann, enrolmentStarted(1), twoFactorEnabled(1), enrolmentStarted(2))
      .when(reseal({ 'sealed hash of first': 'hash', 'sealed secret 1': 'one', 'sealed secret 2': 'two' }))
      .thenEvents(passwordResealed('hash'), twoFactorSecretResealed(1, 'one'), twoFactorSecretResealed(2, 'two'))
      .thenHolds();
  });

  it('keeps secrets that were replaced in the meantime or are not in the map', () => {
    given(accountDecider, ann, passwordChanged('second', 1_768_000_500))
      .when(reseal({ 'sealed hash of first': 'hash' }))
      .thenNothing();
    given(accountDecider, ann, enrolmentStarted(1))
      .when(reseal({ 'sealed secret 1': 'one' }))
      .thenEvents(twoFactorSecretResealed(1, 'one'));
  });

  it('replaces the recovery codes', () => {
    given(accountDecider, ann, enrolmentStarted(1), twoFactorEnabled(1), recoveryCodesGenerated(1))
      .when(reseal({ 'sealed codes 1': 'resealed' }))
      .thenEvents(recoveryCodesResealed(1, 'resealed'));
  });

  it('is refused for a deleted account', () => {
    given(accountDecider, ann, deleted('ann'))
      .when(reseal({ 'sealed hash of first': 'hash' }))
      .thenRefused('account-not-found');
  });
});

describe('an account with resealed secrets', () => {
  const before = [ann, enrolmentStarted(1), twoFactorEnabled(1), twoFactorLocked(), enrolmentStarted(2)] as const;

  it('keeps its sessions, its lock and the expiry of its enrolment', () => {
    const state = stateAfter(accountDecider, ...before);
    expect(
      stateAfter(
        accountDecider,
        ...before,
        passwordResealed('hash'),
        twoFactorSecretResealed(1, 'one'),
        twoFactorSecretResealed(2, 'two'),
      ),
    ).toStrictEqual({
      ...state,
      sealedPasswordHash: 'hash',
      twoFactor: { ...state.twoFactor, sealedSecret: 'one' },
      pendingEnrolment: { ...state.pendingEnrolment, sealedSecret: 'two' },
    });
  });

  it('completes a resealed enrolment with its new text', () => {
    const events = [ann, enrolmentStarted(1), twoFactorSecretResealed(1, 'one'), twoFactorEnabled(1)] as const;
    expect(stateAfter(accountDecider, ...events).twoFactor?.sealedSecret).toBe('one');
  });

  it('cannot reseal an enrolment that it does not have', () => {
    expect(() => stateAfter(accountDecider, ann, twoFactorSecretResealed(1, 'one'))).toThrow(
      'cannot reseal the secret of enrolment 1',
    );
  });
});
