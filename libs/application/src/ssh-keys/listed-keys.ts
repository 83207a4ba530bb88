import { isExpired, type SshKeyRing, type SshKeyUse } from '@keyfold/domain';
import type { SshKeysAndUse } from '../caller/caller.js';

/**
 * An SSH key in a list. Times are in unix milliseconds. `lastUsedAt` of an unused key is the time of its addition. `blob` is the wire
 * format in base64.
 */
export type ListedSshKey = Readonly<{
  keyId: number;
  title: string;
  fingerprint: string;
  addedAt: number;
  lastUsedAt: number;
  isUsed: boolean;
  type: string;
  blob: string;
  bits: number;
  comment: string;
  expiresAt: number | undefined;
  expired: boolean;
}>;

/** A list, and the time at which the next of its keys expires. */
type TimedList = Readonly<{ use: SshKeyUse; until: number; list: readonly ListedSshKey[] }>;

/** Lists by the immutable states from which they were made, kept for as long as those states are cached. */
const lists = new WeakMap<SshKeyRing, TimedList>();

/**
 * Returns the keys as a list at a time in unix milliseconds. The same states give the same array until a key expires, so that callers can
 * cache answers by it.
 */
export function keyListOf({ ring, use }: SshKeysAndUse, now: number): readonly ListedSshKey[] {
  const known = lists.get(ring);
  if (known?.use === use && now < known.until) return known.list;
  const list = ring.keys.map((ringKey) => {
    const { keyId, title, key, addedAt, expiresAt } = ringKey;
    const { fingerprint, type, blob, bits, comment } = key;
    const lastUse = use.lastUsed[keyId];
    const expired = isExpired(ringKey, now);
    const used = { lastUsedAt: lastUse ?? addedAt, isUsed: lastUse !== undefined };
    return { keyId, title, fingerprint, addedAt, ...used, type, blob, bits, comment, expiresAt, expired };
  });
  const until = list.reduce(
    (next, { expired, expiresAt = Infinity }) => (expired ? next : Math.min(next, expiresAt)),
    Infinity,
  );
  lists.set(ring, { use, until, list });
  return list;
}
