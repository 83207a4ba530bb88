import { describe, expect, it } from 'vitest';
import { MINUTE, NOON } from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import {
  addKey,
  expireKeys,
  keyAdded,
  keyExpired,
  keyExpiryChanged,
  keyRemoved,
  publicKey,
  removeKey,
  updateKey,
} from '../../testing/ssh-key-ring.events.js';
import { isExpired, LONGEST_EXPIRY, nextExpiryOf } from './ssh-key-expiry.js';
import { sshKeyRingDecider } from './ssh-key-ring.decider.js';
import type { SshKeyRingEvent } from './ssh-key-ring.events.js';

const [laptop, phone] = [publicKey('laptop'), publicKey('phone')];
const SOON = NOON + 60 * MINUTE;
const LATER = NOON + 1_440 * MINUTE;
const expiring: SshKeyRingEvent[] = [keyAdded(1, 'laptop'), keyExpiryChanged(1, SOON)];
const expired = [...expiring, keyExpired(1, laptop, SOON)];

describe('AddSshKey with an expiry', () => {
  it('stores the expiry in the same commit', () => {
    given(sshKeyRingDecider)
      .when(addKey('laptop', laptop, SOON))
      .thenEvents(keyAdded(1, 'laptop'), keyExpiryChanged(1, SOON));
  });

  it.each([
    ['of now', NOON],
    ['in the past', NOON - 1],
    ['more than ten years ahead', NOON + LONGEST_EXPIRY + 1],
    ['that is no number', NaN],
  ])('refuses an expiry %s', (_which, expiresAt) => {
    given(sshKeyRingDecider)
      .when(addKey('laptop', laptop, expiresAt))
      .thenRefused('ssh-key-expiry-untimely');
  });

  it.each([NOON + 1, NOON + LONGEST_EXPIRY])('accepts the expiry %i', (expiresAt) => {
    given(sshKeyRingDecider)
      .when(addKey('laptop', laptop, expiresAt))
      .thenEvents(keyAdded(1, 'laptop'), keyExpiryChanged(1, expiresAt));
  });

  it('reports every other reason for refusal before the expiry', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'))
      .when(addKey('phone', laptop, NOON))
      .thenRefused('ssh-key-taken');
  });
});

describe('UpdateSshKey', () => {
  it('sets, moves and clears the expiry', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'))
      .when(updateKey(1, { expiresAt: SOON }))
      .thenEvents(keyExpiryChanged(1, SOON));
    given(sshKeyRingDecider, ...expiring)
      .when(updateKey(1, { expiresAt: LATER }))
      .thenEvents(keyExpiryChanged(1, LATER));
    given(sshKeyRingDecider, ...expiring)
      .when(updateKey(1, { expiresAt: null }))
      .thenEvents(keyExpiryChanged(1, null));
  });

  it('changes nothing if the key has this expiry, even one that has passed', () => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'))
      .when(updateKey(1, { expiresAt: null }))
      .thenNothing();
    given(sshKeyRingDecider, ...expired)
      .when(updateKey(1, { title: 'laptop', expiresAt: SOON }, LATER))
      .thenNothing();
  });

  it.each([NOON, NOON + LONGEST_EXPIRY + 1])('refuses the expiry %i', (expiresAt) => {
    given(sshKeyRingDecider, keyAdded(1, 'laptop'))
      .when(updateKey(1, { expiresAt }))
      .thenRefused('ssh-key-expiry-untimely');
  });

  it('revives an expired key, whose next expiry is announced again', () => {
    const revived = [...expired, keyExpiryChanged(1, LATER)];
    given(sshKeyRingDecider, ...expired)
      .when(updateKey(1, { expiresAt: LATER }, SOON + 1))
      .thenEvents(keyExpiryChanged(1, LATER));
    expect(isExpired(stateAfter(sshKeyRingDecider, ...revived).keys[0]!, LATER - 1)).toBe(false);
    given(sshKeyRingDecider, ...revived)
      .when(expireKeys(LATER))
      .thenEvents(keyExpired(1, laptop, LATER));
  });
});

describe('ExpireSshKeys', () => {
  const both = [...expiring, keyAdded(2, 'phone'), keyExpiryChanged(2, LATER)];

  it('records each key from its expiry on', () => {
    given(sshKeyRingDecider, ...both)
      .when(expireKeys(SOON))
      .thenEvents(keyExpired(1, laptop, SOON))
      .thenHolds();
    given(sshKeyRingDecider, ...both)
      .when(expireKeys(LATER))
      .thenEvents(keyExpired(1, laptop, SOON), keyExpired(2, phone, LATER));
  });

  it.each<[string, SshKeyRingEvent[], number]>([
    ['before the first expiry', both, SOON - 1],
    ['a second time', expired, LATER],
    ['for a removed key', [...expiring, keyRemoved(1, laptop)], LATER],
    ['for a key without an expiry', [keyAdded(1, 'laptop')], LATER],
    ['for a key whose expiry was cleared', [...expiring, keyExpiryChanged(1, null)], LATER],
  ])('records nothing %s', (_when, history, now) => {
    given(sshKeyRingDecider, ...history)
      .when(expireKeys(now))
      .thenNothing();
  });
});

describe('an expired key', () => {
  it('still occupies its title and its key', () => {
    given(sshKeyRingDecider, ...expired)
      .when(addKey('laptop', phone))
      .thenRefused('ssh-key-title-taken');
    given(sshKeyRingDecider, ...expired)
      .when(addKey('phone', laptop))
      .thenRefused('ssh-key-taken');
  });

  it('can be removed', () => {
    given(sshKeyRingDecider, ...expired)
      .when(removeKey(1))
      .thenEvents(keyRemoved(1, laptop));
  });

  it('has expired from the millisecond of its expiry on, and after its event also for a clock that is behind', () => {
    const [key] = stateAfter(sshKeyRingDecider, ...expiring).keys;
    expect([SOON - 1, SOON, LATER].map((now) => isExpired(key!, now))).toEqual([false, true, true]);
    const [announced] = stateAfter(sshKeyRingDecider, ...expired).keys;
    expect(isExpired(announced!, SOON - 1)).toBe(true);
  });
});

it('the next expiry of a ring is the earliest one that is not announced', () => {
  const next = (...history: SshKeyRingEvent[]) => nextExpiryOf(stateAfter(sshKeyRingDecider, ...history));
  const phoneLater = [keyAdded(2, 'phone'), keyExpiryChanged(2, LATER)];
  expect(next(keyAdded(1, 'laptop'))).toBeNull();
  expect(next(...phoneLater, ...expiring)).toBe(SOON);
  expect(next(...phoneLater, ...expired)).toBe(LATER);
  expect(next(...expired)).toBeNull();
});
