import { accountOfKey, isExpired, type SshKeyRing, type SshKeyUse } from '@keyfold/domain';
import { LRUCache } from 'lru-cache';
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

/** A list, the states from which it was made, and the time at which the next of its keys expires. */
type TimedList = Readonly<{ ring: SshKeyRing; use: SshKeyUse; until: number; list: readonly ListedSshKey[] }>;

/** Memory of a key in a list and in the response with that list, in bytes, besides two for each byte of its texts. */
const LISTED_KEY = 1_100;
/** Memory of all lists, in bytes. */
const LISTS = 16 * 1024 * 1024;
const NO_KEYS: readonly ListedSshKey[] = [];

/** Lists by account. Callers cache their responses by the list. */
const lists = new LRUCache<number, TimedList>({
  maxSize: LISTS,
  sizeCalculation: ({ ring: { keys, bytes } }) => LISTED_KEY * keys.length + 2 * bytes,
});

/**
 * Returns the keys as a list at a time in unix milliseconds. The same states give the same array until a key expires, so that callers can
 * cache answers by it.
 */
export function keyListOf({ ring, use }: SshKeysAndUse, now: number): readonly ListedSshKey[] {
  const [first] = ring.keys;
  if (!first) return NO_KEYS;
  const accountId = accountOfKey(first.keyId);
  const known = lists.get(accountId);
  if (known?.ring === ring && known.use === use && now < known.until) return known.list;
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
  lists.set(accountId, { ring, use, until, list });
  return list;
}
