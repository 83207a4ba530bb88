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
const added = [keyAdded(1, 'laptop')];
const expiring = [...added, keyExpiryChanged(1, SOON)];
const expired = [...expiring, keyExpired(1, laptop, SOON)];
const after = (history: readonly SshKeyRingEvent[]) => given(sshKeyRingDecider, ...history);

describe('an expiry', () => {
  it.each([SOON, NOON + 1, NOON + LONGEST_EXPIRY])(
    'of %i is stored, with a new key in the same commit',
    (expiresAt) => {
      const stored = keyExpiryChanged(1, expiresAt);
      after([])
        .when(addKey('laptop', laptop, expiresAt))
        .thenEvents(keyAdded(1, 'laptop'), stored);
      after(added).when(updateKey(1, { expiresAt })).thenEvents(stored);
    },
  );

  it.each([
    ['of now', NOON],
    ['in the past', NOON - 1],
    ['more than ten years ahead', NOON + LONGEST_EXPIRY + 1],
    ['that is no number', NaN],
  ])('%s is refused', (_which, expiresAt) => {
    after([])
      .when(addKey('laptop', laptop, expiresAt))
      .thenRefused('ssh-key-expiry-untimely');
    after(added).when(updateKey(1, { expiresAt })).thenRefused('ssh-key-expiry-untimely');
  });

  it('is refused after every other reason for refusal', () => {
    after(added)
      .when(addKey('phone', laptop, NOON))
      .thenRefused('ssh-key-taken');
  });

  it.each([LATER, null])('can be changed to %s', (expiresAt) => {
    after(expiring).when(updateKey(1, { expiresAt })).thenEvents(keyExpiryChanged(1, expiresAt));
  });

  it('that the key has changes nothing, even one that has passed', () => {
    after(added)
      .when(updateKey(1, { expiresAt: null }))
      .thenNothing();
    after(expired)
      .when(updateKey(1, { title: 'laptop', expiresAt: SOON }, LATER))
      .thenNothing();
  });

  it('revives an expired key, whose next expiry is announced again', () => {
    const revived = [...expired, keyExpiryChanged(1, LATER)];
    after(expired)
      .when(updateKey(1, { expiresAt: LATER }, SOON + 1))
      .thenEvents(keyExpiryChanged(1, LATER));
    expect(isExpired(stateAfter(sshKeyRingDecider, ...revived).keys[0]!, LATER - 1)).toBe(false);
    after(revived)
      .when(expireKeys(LATER))
      .thenEvents(keyExpired(1, laptop, LATER));
  });
});

describe('ExpireSshKeys', () => {
  const both = [...expiring, keyAdded(2, 'phone'), keyExpiryChanged(2, LATER)];

  it('records each key from its expiry on', () => {
    after(both)
      .when(expireKeys(SOON))
      .thenEvents(keyExpired(1, laptop, SOON))
      .thenHolds();
    after(both)
      .when(expireKeys(LATER))
      .thenEvents(keyExpired(1, laptop, SOON), keyExpired(2, phone, LATER));
  });

  it.each<[string, SshKeyRingEvent[], number]>([
    ['before the first expiry', both, SOON - 1],
    ['a second time', expired, LATER],
    ['for a removed key', [...expiring, keyRemoved(1, laptop)], LATER],
    ['for a key without an expiry', added, LATER],
    ['for a key whose expiry was cleared', [...expiring, keyExpiryChanged(1, null)], LATER],
  ])('records nothing %s', (_when, history, now) => {
    after(history).when(expireKeys(now)).thenNothing();
  });
});

describe('an expired key', () => {
  it('still occupies its title and its key, and can be removed', () => {
    after(expired).when(addKey('laptop', phone)).thenRefused('ssh-key-title-taken');
    after(expired).when(addKey('phone', laptop)).thenRefused('ssh-key-taken');
    after(expired).when(removeKey(1)).thenEvents(keyRemoved(1, laptop));
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
  expect(next(...added)).toBeNull();
  expect(next(...phoneLater, ...expiring)).toBe(SOON);
  expect(next(...phoneLater, ...expired)).toBe(LATER);
  expect(next(...expired)).toBeNull();
});
