import { isExpired, type SshKey, type SshKeyRing } from '@keyfold/domain';
import type { FoundKey } from '../api/openlist-api.js';

/** The keys that OpenList lacks, and those that it must not have. */
export type KeyDifference = Readonly<{ missing: readonly SshKey[]; surplus: readonly FoundKey[] }>;

/** Compares the keys of a ring that have not expired with those that OpenList has of the account. */
export function compareKeys({ keys }: SshKeyRing, found: readonly FoundKey[], now: number): KeyDifference {
  const wanted = new Map(
    keys.filter((key) => !isExpired(key, now)).map((key) => [identityOf(key.title, key.key), key]),
  );
  const surplus = found.filter((key) => !wanted.delete(identityOf(key.title, key)));
  return { missing: [...wanted.values()], surplus };
}

const identityOf = (title: string, { fingerprint }: Readonly<{ fingerprint: string }>) => `${fingerprint} ${title}`;

/** Returns the line of a key as OpenList takes it. */
export const keyLine = ({ key }: SshKey): string => `${key.type} ${key.blob}`;
