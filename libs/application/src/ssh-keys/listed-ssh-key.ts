import type { SshKeyRing, SshKeyUse } from '@keyfold/domain';
import type { SshKeysAndUse } from '../caller/caller.js';

/** An SSH key in a list. Times are in unix milliseconds. `lastUsedAt` of an unused key is the time of its addition. */
export type ListedSshKey = Readonly<{
  keyId: number;
  title: string;
  fingerprint: string;
  addedAt: number;
  lastUsedAt: number;
}>;

/** Lists by the immutable states from which they were made, kept for as long as those states are cached. */
const lists = new WeakMap<SshKeyRing, Readonly<{ use: SshKeyUse; list: readonly ListedSshKey[] }>>();

/** Returns the keys as a list. The same states give the same array, so that callers can cache answers by it. */
export function keyListOf({ ring, use }: SshKeysAndUse): readonly ListedSshKey[] {
  const known = lists.get(ring);
  if (known?.use === use) return known.list;
  const list = ring.keys.map(({ keyId, title, key, addedAt }) => ({
    keyId,
    title,
    fingerprint: key.fingerprint,
    addedAt,
    lastUsedAt: use.lastUsed[keyId] ?? addedAt,
  }));
  lists.set(ring, { use, list });
  return list;
}
