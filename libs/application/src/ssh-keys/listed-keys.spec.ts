import { sshKeyRingDecider } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { MINUTE, NOON } from '../../../domain/testing/account.events.js';
import { stateAfter } from '../../../domain/testing/decider-specification.js';
import { keyAdded, keyExpired, keyExpiryChanged, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { keyListOf } from './listed-keys.js';

const SOON = NOON + MINUTE;
const LATER = NOON + 2 * MINUTE;
const history = [
  keyAdded(1, 'laptop'),
  keyAdded(2, 'phone'),
  keyExpiryChanged(2, LATER),
  keyAdded(3, 'desk'),
  keyExpiryChanged(3, SOON),
];
const use = { lastUsed: {} };
const expiredIn = (list: ReturnType<typeof keyListOf>) =>
  list.filter(({ expired }) => expired).map(({ title }) => title);

it('a list is the same array until a key expires', () => {
  const ring = stateAfter(sshKeyRingDecider, ...history);
  const first = keyListOf({ ring, use }, NOON);
  expect(expiredIn(first)).toEqual([]);
  expect(keyListOf({ ring, use }, SOON - 1)).toBe(first);
  const second = keyListOf({ ring, use }, SOON);
  expect(expiredIn(second)).toEqual(['desk']);
  expect(keyListOf({ ring, use }, LATER - 1)).toBe(second);
  const third = keyListOf({ ring, use }, LATER);
  expect(expiredIn(third)).toEqual(['phone', 'desk']);
  expect(keyListOf({ ring, use }, LATER * 2)).toBe(third);
});

it('a list without expiries is the same array for ever', () => {
  const ring = stateAfter(sshKeyRingDecider, keyAdded(1, 'laptop'));
  expect(keyListOf({ ring, use }, LATER * 2)).toBe(keyListOf({ ring, use }, NOON));
});

it('a key has expired in a list as soon as its event says so, even if the clock is behind', () => {
  const ring = stateAfter(sshKeyRingDecider, ...history, keyExpired(3, publicKey('desk'), SOON));
  const list = keyListOf({ ring, use }, NOON);
  expect(expiredIn(list)).toEqual(['desk']);
  expect(keyListOf({ ring, use }, SOON)).toBe(list);
  expect(expiredIn(keyListOf({ ring, use }, LATER))).toEqual(['phone', 'desk']);
});
