import type { ShownKeys } from '../caller/caller.js';

/** A key as lists show it; times in unix milliseconds. A key that was never used has its last use at its addition. */
export type ListedSshKey = Readonly<{
  keyId: number;
  title: string;
  fingerprint: string;
  addedAt: number;
  lastUsedAt: number;
}>;

export const keyListOf = ({ ring, use }: ShownKeys): ListedSshKey[] =>
  ring.keys.map(({ keyId, title, key, addedAt }) => ({
    keyId,
    title,
    fingerprint: key.fingerprint,
    addedAt,
    lastUsedAt: use.lastUsed[keyId] ?? addedAt,
  }));
