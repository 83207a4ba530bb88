import { describe, expect, it } from 'vitest';
import { publicKey } from '../../testing/ssh-key-ring.events.js';
import { hasFingerprint, hasTitle, withAdded, withRemoved, withReplaced } from './ssh-key-index.js';

type Key = Readonly<{ title: string; key: ReturnType<typeof publicKey> }>;

const NAMES = ['laptop', 'phone', 'desk'];
const [laptop, phone, desk] = NAMES.map((title): Key => ({ title, key: publicKey(title) })) as [Key, Key, Key];
const listOf = (length: number) =>
  Array.from({ length }, (_, n): Key => ({ title: `key ${n}`, key: publicKey(`key ${n}`) }));

/** Returns which of the names a list contains, and requires that titles and fingerprints agree. */
function found(keys: readonly Key[]): string[] {
  const names = NAMES.filter((name) => hasTitle(keys, name));
  expect(NAMES.filter((name) => hasFingerprint(keys, publicKey(name).fingerprint))).toEqual(names);
  return names;
}

describe.each([
  ['short', 3],
  ['long', 100],
])('a %s list', (_, length) => {
  const list = listOf(length);

  it('contains its own keys, and not those of another change of the same list', () => {
    const one = withAdded(list, laptop);
    expect([list, one].map(found)).toEqual([[], ['laptop']]);
    const [two, other] = [withAdded(one, phone), withAdded(one, desk)];
    expect([one, two, other].map(found)).toEqual([['laptop'], ['laptop', 'phone'], ['laptop', 'desk']]);
    expect(found(withAdded(two, desk))).toEqual(NAMES);
  });

  it('does not contain a key that was removed or replaced', () => {
    const one = withAdded(list, laptop);
    expect(found(one)).toEqual(['laptop']);
    const two = withReplaced(one, laptop, phone);
    expect([one, two].map(found)).toEqual([['laptop'], ['phone']]);
    expect([withRemoved(two, phone), two].map(found)).toEqual([[], ['phone']]);
  });
});

it('a long list is walked once for a chain of changes', () => {
  let reads = 0;
  const watched = listOf(100).map(({ title, key }) => ({
    key,
    get title() {
      reads++;
      return title;
    },
  }));
  expect(hasTitle(watched, 'laptop')).toBe(false);
  expect(reads).toBe(100);
  const renamed = withReplaced(withAdded(withAdded(watched, laptop), phone), phone, desk);
  expect(found(withRemoved(renamed, laptop))).toEqual(['desk']);
  expect(reads).toBe(100);
});
