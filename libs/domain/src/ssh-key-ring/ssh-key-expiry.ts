import { DomainError } from '../kernel/domain-error.js';

/** When a key expires, in unix milliseconds; missing if never. `announced`: `SshKeyExpired` was stored for this expiry. */
export type KeyExpiry = Readonly<{ expiresAt?: number; announced?: true }>;

/** The latest expiry that can be set, in milliseconds from now: ten years. */
export const LONGEST_EXPIRY = 3_653 * 86_400_000;

/** Returns whether a key has expired at a time in unix milliseconds. After `SshKeyExpired` it has, even if this clock is behind. */
export const isExpired = ({ expiresAt, announced }: KeyExpiry, now: number): boolean =>
  announced === true || (expiresAt !== undefined && expiresAt <= now);

/** Returns whether a key has an expiry for which `SshKeyExpired` is yet to be stored. */
export const isUnannounced = <Key extends KeyExpiry>(key: Key): key is Key & Readonly<{ expiresAt: number }> =>
  key.expiresAt !== undefined && key.announced !== true;

/** Returns the earliest expiry for which `SshKeyExpired` is yet to be stored, in unix milliseconds; null if there is none. */
export function nextExpiryOf({ keys }: Readonly<{ keys: readonly KeyExpiry[] }>): number | null {
  let next: number | null = null;
  for (const key of keys) if (isUnannounced(key) && (next === null || key.expiresAt < next)) next = key.expiresAt;
  return next;
}

/** Throws `ssh-key-expiry-untimely` unless the expiry lies in the future, at most `LONGEST_EXPIRY` ahead. */
export function requireTimelyExpiry(expiresAt: number, now: number): void {
  if (!(expiresAt > now && expiresAt <= now + LONGEST_EXPIRY)) throw new DomainError('ssh-key-expiry-untimely');
}
