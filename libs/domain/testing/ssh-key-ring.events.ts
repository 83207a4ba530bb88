import { createHash } from 'node:crypto';
import {
  keyIdOf,
  type AddSshKey,
  type ExpireSshKeys,
  type RemoveSshKey,
  type UpdateSshKey,
} from '../src/ssh-key-ring/ssh-key-ring.decider.js';
import type {
  PublicKey,
  SshKeyAdded,
  SshKeyExpired,
  SshKeyExpiryChanged,
  SshKeyRemoved,
  SshKeyRenamed,
} from '../src/ssh-key-ring/ssh-key-ring.events.js';
import { NOON } from './account.events.js';

/** Returns a parsed Ed25519 key. Different seeds give different keys. */
export function publicKey(seed: string): PublicKey {
  const point = createHash('sha256').update(seed).digest();
  const blob = Buffer.concat([Buffer.from('0000000b7373682d6564323535313900000020', 'hex'), point]);
  const fingerprint = `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
  return { type: 'ssh-ed25519', blob: blob.toString('base64'), fingerprint, bits: 256, comment: `${seed}@example.org` };
}

/** Returns the addition of the n-th key ever of account 7. */
export const keyAdded = (n: number, title: string, key = publicKey(title)): SshKeyAdded => ({
  type: 'SshKeyAdded',
  v: 1,
  data: { keyId: keyIdOf(7, n), title, key, addedAt: NOON },
});

export const keyRemoved = (n: number, key: PublicKey): SshKeyRemoved => ({
  type: 'SshKeyRemoved',
  v: 1,
  data: { keyId: keyIdOf(7, n), fingerprint: key.fingerprint },
});

export const keyRenamed = (n: number, title: string): SshKeyRenamed => ({
  type: 'SshKeyRenamed',
  v: 1,
  data: { keyId: keyIdOf(7, n), title },
});

export const keyExpiryChanged = (n: number, expiresAt: number | null): SshKeyExpiryChanged => ({
  type: 'SshKeyExpiryChanged',
  v: 1,
  data: { keyId: keyIdOf(7, n), expiresAt },
});

export const keyExpired = (n: number, key: PublicKey, expiresAt: number): SshKeyExpired => ({
  type: 'SshKeyExpired',
  v: 1,
  data: { keyId: keyIdOf(7, n), fingerprint: key.fingerprint, expiresAt },
});

/** Returns a command that adds a key; `key` is undefined for a text that is not a key. */
export const addKey = (title: string, key: PublicKey | undefined, expiresAt?: number): AddSshKey => ({
  type: 'AddSshKey',
  accountId: 7,
  title,
  key,
  expiresAt,
  now: NOON,
});

/** Returns a command that changes the account's n-th key at noon. */
export const updateKey = (n: number, change: Pick<UpdateSshKey, 'title' | 'expiresAt'>, now = NOON): UpdateSshKey => ({
  type: 'UpdateSshKey',
  keyId: keyIdOf(7, n),
  ...change,
  now,
});

export const expireKeys = (now: number): ExpireSshKeys => ({ type: 'ExpireSshKeys', now });

export const removeKey = (n: number): RemoveSshKey => ({ type: 'RemoveSshKey', keyId: keyIdOf(7, n) });
