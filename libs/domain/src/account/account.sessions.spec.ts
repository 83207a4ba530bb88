import { describe, expect, it } from 'vitest';
import { changeOwnProfile, enableTwoFactor, startEnrolment } from '../../testing/account.commands.js';
import {
  disabled,
  enrolmentStarted,
  passwordChanged,
  registered,
  sessionsEvicted,
} from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { accountDecider } from './account.decider.js';
import type { AccountEvent } from './account.events.js';
import { sessionRefusal } from './account.state.js';

describe('EvictSessions', () => {
  const evict = { type: 'EvictSessions', kept: 's1' } as const;

  it('keeps one session at most', () => {
    given(accountDecider, registered('ann')).when(evict).thenEvents(sessionsEvicted('s1')).thenHolds();
    given(accountDecider, registered('ann'), sessionsEvicted('s1'))
      .when({ ...evict, kept: null })
      .thenEvents(sessionsEvicted(null));
  });

  it('is refused if there is no account', () => {
    given(accountDecider).when(evict).thenRefused('account-not-found');
  });
});

describe('a session', () => {
  const refusalOf = (generation: number, session: string, ...history: AccountEvent[]) =>
    sessionRefusal(stateAfter(accountDecider, registered('ann'), ...history), { generation, session });

  it('acts for its account until the password changes', () => {
    expect(refusalOf(1, 's1')).toBeUndefined();
    expect(refusalOf(1, 's1', passwordChanged('new', 7))).toBe('password-changed');
    expect(refusalOf(2, 's1', passwordChanged('new', 7))).toBeUndefined();
  });

  it('acts for its account until it is evicted', () => {
    expect(refusalOf(1, 's1', sessionsEvicted('s2'))).toBe('token-invalidated');
    expect(refusalOf(2, 's1', sessionsEvicted('s2'))).toBeUndefined();
  });

  it('that was kept acts for its account until the next eviction or password change', () => {
    expect(refusalOf(1, 's1', sessionsEvicted('s1'))).toBeUndefined();
    expect(refusalOf(1, 's1', sessionsEvicted('s1'), sessionsEvicted('s1'))).toBeUndefined();
    expect(refusalOf(1, 's1', sessionsEvicted('s1'), sessionsEvicted('s2'))).toBe('token-invalidated');
    expect(refusalOf(1, 's1', sessionsEvicted('s1'), passwordChanged('new', 7))).toBe('password-changed');
  });

  it('is refused for the password if that changed after it, whatever else ended it', () => {
    expect(refusalOf(1, 's1', sessionsEvicted(), passwordChanged('new', 7), sessionsEvicted())).toBe(
      'password-changed',
    );
    expect(refusalOf(2, 's1', passwordChanged('new', 7), sessionsEvicted())).toBe('token-invalidated');
  });
});

describe('a command of a session that has ended in the meantime', () => {
  const ended = { generation: 1, session: 's1' };
  const commands = {
    'a change of the profile': { ...changeOwnProfile('ann'), ...ended },
    'a new secret': { ...startEnrolment(1), ...ended },
    'a proof': { ...enableTwoFactor(1, 5), ...ended },
    'an eviction': { type: 'EvictSessions', kept: 's1', ...ended } as const,
  };

  it.each(Object.entries(commands))('is refused if a password change ended it: %s', (_what, command) => {
    given(accountDecider, registered('ann'), enrolmentStarted(1), passwordChanged('new', 7))
      .when(command)
      .thenRefused('password-changed');
  });

  it.each(Object.entries(commands))('is refused if it was evicted: %s', (_what, command) => {
    given(accountDecider, registered('ann'), enrolmentStarted(1), sessionsEvicted('s2'))
      .when(command)
      .thenRefused('token-invalidated');
  });

  it('is accepted if the eviction kept it', () => {
    given(accountDecider, registered('ann'), sessionsEvicted('s1'))
      .when(commands['an eviction'])
      .thenEvents(sessionsEvicted('s1'));
  });

  it.each(Object.entries(commands))('is refused if the account was disabled: %s', (_what, command) => {
    given(accountDecider, registered('ann'), enrolmentStarted(1), disabled)
      .when(command)
      .thenRefused('account-disabled');
  });
});
