import { bytesOf, memoryOf } from '../kernel/bounded-text.js';
import type { SshKeyAdded } from './ssh-key-ring.events.js';

type Key = Pick<SshKeyAdded['data'], 'title' | 'key'>;

/** The size of a key: `bytes` in an answer, and the maximum `memory` of its state. */
type Size = Readonly<{ bytes: number; memory: number }>;

/** Memory of a key without its texts, in bytes: objects, fingerprint, and its entry in the answer. */
const KEY_OVERHEAD = 700;

/** Keys never change, and every change of a ring asks for the sizes of all its keys. */
const sizes = new WeakMap<Key, Size>();

/** Returns the size of a key with its title and comment. */
export function sizeOfKey(sshKey: Key): Size {
  let size = sizes.get(sshKey);
  if (!size) {
    const { title, key } = sshKey;
    const titleBytes = bytesOf(title);
    size = {
      bytes: titleBytes + bytesOf(key.type, key.blob, key.comment),
      memory: KEY_OVERHEAD + memoryOf(title, key.blob, key.comment) + 2 * titleBytes,
    };
    sizes.set(sshKey, size);
  }
  return size;
}
