import type { PublicKey } from './ssh-key-ring.events.js';

type IndexedKey = Readonly<{ title: string; key: PublicKey }>;
type Index = Readonly<{ titles: Set<string>; fingerprints: Set<string> }>;

/** Number of keys from which a list has an index. Walking 900 keys takes up to half of the time of an addition. */
const LONG = 64;

/** The indexes of long lists in which something was sought. Titles and fingerprints are unique in a list. */
const indexes = new WeakMap<readonly IndexedKey[], Index>();

/** Returns whether a key of the list has this title. */
export const hasTitle = (keys: readonly IndexedKey[], title: string): boolean =>
  keys.length < LONG ? keys.some((each) => each.title === title) : indexOf(keys).titles.has(title);

/** Returns whether the list contains the key with this fingerprint. */
export const hasFingerprint = (keys: readonly IndexedKey[], fingerprint: string): boolean =>
  keys.length < LONG
    ? keys.some(({ key }) => key.fingerprint === fingerprint)
    : indexOf(keys).fingerprints.has(fingerprint);

export const withAdded = <Key extends IndexedKey>(keys: readonly Key[], added: Key): readonly Key[] =>
  passOn(keys, [...keys, added], { added });

export const withRemoved = <Key extends IndexedKey>(keys: readonly Key[], removed: Key): readonly Key[] =>
  passOn(
    keys,
    keys.filter((key) => key !== removed),
    { removed },
  );

/** Returns the list with `added` in the place of `removed`. */
export const withReplaced = <Key extends IndexedKey>(keys: readonly Key[], removed: Key, added: Key): readonly Key[] =>
  passOn(
    keys,
    keys.map((key) => (key === removed ? added : key)),
    { removed, added },
  );

function indexOf(keys: readonly IndexedKey[]): Index {
  let index = indexes.get(keys);
  if (!index) {
    const titles = new Set(keys.map(({ title }) => title));
    index = { titles, fingerprints: new Set(keys.map(({ key }) => key.fingerprint)) };
    indexes.set(keys, index);
  }
  return index;
}

/** Returns the changed list. It gets the index, because the next change will be to this list. */
function passOn<Key extends IndexedKey>(
  keys: readonly Key[],
  changed: readonly Key[],
  { removed, added }: Readonly<{ removed?: Key; added?: Key }>,
): readonly Key[] {
  const index = indexes.get(keys);
  if (!index) return changed;
  indexes.delete(keys);
  if (removed) {
    index.titles.delete(removed.title);
    index.fingerprints.delete(removed.key.fingerprint);
  }
  if (added) {
    index.titles.add(added.title);
    index.fingerprints.add(added.key.fingerprint);
  }
  indexes.set(changed, index);
  return changed;
}
