import type { PublicKey } from './ssh-key-ring.events.js';

type IndexedKey = Readonly<{ title: string; key: PublicKey }>;
type Index = Readonly<{ titles: Set<string>; fingerprints: Set<string> }>;

/** Indexes of lists to which a key was added. Walking a list of 900 keys takes as long as everything else that an addition does. */
const indexes = new WeakMap<readonly IndexedKey[], Index>();

/** Returns whether a key of the list has this title. */
export const hasTitle = (keys: readonly IndexedKey[], title: string): boolean => indexOf(keys).titles.has(title);

/** Returns whether the list contains the key with this fingerprint. */
export const hasFingerprint = (keys: readonly IndexedKey[], fingerprint: string): boolean =>
  indexOf(keys).fingerprints.has(fingerprint);

/** Returns the list with one more key. The index goes to the new list, because the next key will be added to that one. */
export function withAdded<Key extends IndexedKey>(keys: readonly Key[], added: Key): readonly Key[] {
  const longer = [...keys, added];
  const index = indexes.get(keys);
  if (!index) return longer;
  indexes.delete(keys);
  index.titles.add(added.title);
  index.fingerprints.add(added.key.fingerprint);
  indexes.set(longer, index);
  return longer;
}

function indexOf(keys: readonly IndexedKey[]): Index {
  let index = indexes.get(keys);
  if (!index) {
    const titles = new Set(keys.map(({ title }) => title));
    index = { titles, fingerprints: new Set(keys.map(({ key }) => key.fingerprint)) };
    indexes.set(keys, index);
  }
  return index;
}
