import { expect, it } from 'vitest';
import { publicKey } from '../../testing/ssh-key-ring.events.js';
import { hasFingerprint, hasTitle, withAdded } from './ssh-key-index.js';

type Key = Readonly<{ title: string; key: ReturnType<typeof publicKey> }>;

const NAMES = ['laptop', 'phone', 'desk'];
const keyNamed = (title: string): Key => ({ title, key: publicKey(title) });

/** Returns the names that the index of a list contains, and requires that titles and fingerprints agree. */
function indexed(keys: readonly Key[]): string[] {
  const found = NAMES.filter((name) => hasTitle(keys, name));
  expect(NAMES.filter((name) => hasFingerprint(keys, publicKey(name).fingerprint))).toEqual(found);
  return found;
}

it('a list contains its keys, and not those that were added to make another one', () => {
  const one = [keyNamed('laptop')];
  expect(indexed(one)).toEqual(['laptop']);
  const two = withAdded(one, keyNamed('phone'));
  const other = withAdded(one, keyNamed('desk'));
  expect(indexed(two)).toEqual(['laptop', 'phone']);
  expect(indexed(other)).toEqual(['laptop', 'desk']);
  expect(indexed(one)).toEqual(['laptop']);
  expect(indexed(withAdded(two, keyNamed('desk')))).toEqual(NAMES);
});
