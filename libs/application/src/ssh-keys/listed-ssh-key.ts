import type { SshKeyRing, SshKeyUse } from '@keyfold/domain';
import type { ShownKeys } from '../caller/caller.js';

/** A key as lists show it; times in unix milliseconds. A key that was never used has its last use at its addition. */
export type ListedSshKey = Readonly<{
  keyId: number;
  title: string;
  fingerprint: string;
  addedAt: number;
  lastUsedAt: number;
}>;

/** States never change, so a list is made once for as long as its states are cached. */
const lists = new WeakMap<SshKeyRing, Readonly<{ use: SshKeyUse; list: readonly ListedSshKey[] }>>();

/** The same array for the same states, so that answers made from it can be kept with it. */
export function keyListOf({ ring, use }: ShownKeys): readonly ListedSshKey[] {
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
