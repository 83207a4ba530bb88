import { describe, expect, it } from 'vitest';
import { MINUTE, NOON } from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { keyUsed, recordUse } from '../../testing/ssh-key-use.events.js';
import { sshKeyUseDecider } from './ssh-key-use.decider.js';

describe('RecordSshKeyUse', () => {
  it('records the first use', () => {
    given(sshKeyUseDecider).when(recordUse(1, NOON)).thenEvents(keyUsed(1, NOON)).thenHolds();
  });

  it.each([
    ['at the same time', NOON],
    ['a millisecond short of ten minutes later', NOON + 10 * MINUTE - 1],
    ['before the recorded one', NOON - 60 * MINUTE],
  ])('does not record a use %s', (_when, usedAt) => {
    given(sshKeyUseDecider, keyUsed(1, NOON)).when(recordUse(1, usedAt)).thenNothing();
  });

  it('records a use ten minutes later', () => {
    const later = NOON + 10 * MINUTE;
    given(sshKeyUseDecider, keyUsed(1, NOON)).when(recordUse(1, later)).thenEvents(keyUsed(1, later));
  });

  it('counts the ten minutes from the last recorded use', () => {
    given(sshKeyUseDecider, keyUsed(1, NOON), keyUsed(1, NOON + 10 * MINUTE))
      .when(recordUse(1, NOON + 15 * MINUTE))
      .thenNothing();
  });

  it('applies the ten minutes to each key separately', () => {
    given(sshKeyUseDecider, keyUsed(1, NOON)).when(recordUse(2, NOON)).thenEvents(keyUsed(2, NOON));
  });
});

it('the state keeps the last use of every key', () => {
  const used = [keyUsed(1, NOON), keyUsed(2, NOON), keyUsed(1, NOON + 10 * MINUTE)];
  expect(stateAfter(sshKeyUseDecider, ...used)).toStrictEqual({
    lastUsed: { [keyUsed(1, 0).data.keyId]: NOON + 10 * MINUTE, [keyUsed(2, 0).data.keyId]: NOON },
  });
});
