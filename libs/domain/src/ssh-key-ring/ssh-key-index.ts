import { bytesOf, memoryOf } from '../kernel/bounded-text.js';
import type { SshKeyAdded } from './ssh-key-ring.events.js';

type SshKey = SshKeyAdded['data'];
type Key = Pick<SshKey, 'title' | 'key'>;

/** The size of keys with their titles and comments: `bytes` in an answer, and the maximum `memory` of their state. */
type Size = Readonly<{ bytes: number; memory: number }>;

/** Memory of a key without its texts, in bytes: objects, fingerprints, and its entries in the answer and in the index. */
const KEY_OVERHEAD = 1_400;

/**
 * Texts and sizes of the keys of a ring, so that adding to a long ring costs no more than adding to a short one. They are cached beside
 * the state, which stays plain data.
 */
const textsOf = new WeakMap<readonly SshKey[], { titles: Set<string>; fingerprints: Set<string> }>();
const sizesOf = new WeakMap<readonly Key[], Size>();

/** Returns whether a key of the ring has this title. */
export const hasTitle = (keys: readonly SshKey[], title: string): boolean => textsIn(keys).titles.has(title);

/** Returns whether a key of the ring has this fingerprint. */
export const hasFingerprint = (keys: readonly SshKey[], fingerprint: string): boolean =>
  textsIn(keys).fingerprints.has(fingerprint);

/** Returns the size of all keys together. */
export function sizeOfKeys(keys: readonly Key[]): Size {
  let size = sizesOf.get(keys);
  if (!size) {
    size = keys.map(sizeOfKey).reduce(sumOf, { bytes: 0, memory: 0 });
    sizesOf.set(keys, size);
  }
  return size;
}

/** Returns the keys with another one at their end. */
export function withKey<Key extends SshKey>(keys: readonly Key[], added: Key): readonly Key[] {
  const longer = [...keys, added];
  // Moved, not copied: decisions on the shorter ring are rare.
  const size = sizesOf.get(keys);
  if (size) {
    sizesOf.delete(keys);
    sizesOf.set(longer, sumOf(size, sizeOfKey(added)));
  }
  const texts = textsOf.get(keys);
  if (texts) {
    textsOf.delete(keys);
    texts.titles.add(added.title);
    texts.fingerprints.add(added.key.fingerprint);
    textsOf.set(longer, texts);
  }
  return longer;
}

function textsIn(keys: readonly SshKey[]) {
  let texts = textsOf.get(keys);
  if (!texts) {
    texts = {
      titles: new Set(keys.map(({ title }) => title)),
      fingerprints: new Set(keys.map(({ key }) => key.fingerprint)),
    };
    textsOf.set(keys, texts);
  }
  return texts;
}

/** Returns the size of one key. */
export function sizeOfKey({ title, key }: Key): Size {
  const listed = bytesOf(title, key.comment);
  return {
    bytes: listed + bytesOf(key.type, key.blob),
    // Title and comment are also in the answer that lists them.
    memory: KEY_OVERHEAD + memoryOf(title, key.blob, key.comment) + 2 * listed,
  };
}

const sumOf = (a: Size, b: Size): Size => ({ bytes: a.bytes + b.bytes, memory: a.memory + b.memory });
