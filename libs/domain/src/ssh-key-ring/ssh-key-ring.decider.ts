import type { Decider, Decision } from '../kernel/decider.js';
import { requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import { DomainError } from '../kernel/domain-error.js';
import { keyIdOf, LAST_KEY_NUMBER } from './ssh-key-id.js';
import { hasFingerprint, hasTitle, sizeOfKey, sizeOfKeys, withKey } from './ssh-key-index.js';
import type { PublicKey, SshKeyAdded, SshKeyRingEvent } from './ssh-key-ring.events.js';

/** A key of the ring with its id, its title as sent, and the time of its addition in unix milliseconds. */
export type SshKey = SshKeyAdded['data'];

/** The keys of one account in the order of their addition. `keysEver` also counts the removed ones. */
export type SshKeyRing = Readonly<{ keys: readonly SshKey[]; keysEver: number }>;

/** Adds a key. `key` is undefined if its text could not be parsed; the title is still checked first (wire contract 2.5). */
export type AddSshKey = Readonly<{
  type: 'AddSshKey';
  accountId: number;
  title: string;
  key: PublicKey | undefined;
  now: number;
}>;
/** Removes a key. Refused with `ssh-key-not-found` if the ring does not contain it. */
export type RemoveSshKey = Readonly<{ type: 'RemoveSshKey'; keyId: number }>;
export type SshKeyRingCommand = AddSshKey | RemoveSshKey;

/** Maximum number of keys of an account, and of bytes in all of them together. */
export const KEYS_PER_ACCOUNT = 1000;
export const BYTES_PER_RING = 1024 * 1024;

/**
 * Decides on the keys of one account. Titles are unique and compared exactly; keys are unique by fingerprint. Key numbers are never
 * reused. If there are several reasons to refuse an addition, the first of these applies: title, text, key, limit.
 */
export const sshKeyRingDecider: Decider<SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  initialState: { keys: [], keysEver: 0 },
  decide: (ring, command) => (command.type === 'AddSshKey' ? add(ring, command) : remove(ring, command)),
  evolve,
};

function add(ring: SshKeyRing, { accountId, title, key, now }: AddSshKey): Decision<SshKeyRingEvent> {
  requireMaxBytes(title, TEXT_BYTES.title, 'ssh-key-title-too-long');
  if (hasTitle(ring.keys, title)) throw new DomainError('ssh-key-title-taken');
  if (!key) throw new DomainError('ssh-key-invalid');
  if (hasFingerprint(ring.keys, key.fingerprint)) throw new DomainError('ssh-key-taken');
  const tooMany = ring.keys.length >= KEYS_PER_ACCOUNT || ring.keysEver >= LAST_KEY_NUMBER;
  const tooLarge = bytesOfRing(ring.keys) + sizeOfKey({ title, key }).bytes > BYTES_PER_RING;
  if (tooMany || tooLarge) throw new DomainError('ssh-key-limit-reached');
  const data = { keyId: keyIdOf(accountId, ring.keysEver + 1), title, key, addedAt: now };
  return { events: [{ type: 'SshKeyAdded', v: 1, data }] };
}

/** Returns the size of the keys in bytes, including their titles and comments. */
export const bytesOfRing = (keys: readonly Pick<SshKey, 'title' | 'key'>[]): number => sizeOfKeys(keys).bytes;

function remove(ring: SshKeyRing, { keyId }: RemoveSshKey): Decision<SshKeyRingEvent> {
  const found = ring.keys.find((key) => key.keyId === keyId);
  if (!found) throw new DomainError('ssh-key-not-found');
  return { events: [{ type: 'SshKeyRemoved', v: 1, data: { keyId, fingerprint: found.key.fingerprint } }] };
}

function evolve(ring: SshKeyRing, event: SshKeyRingEvent): SshKeyRing {
  switch (event.type) {
    case 'SshKeyAdded':
      return { keys: withKey(ring.keys, event.data), keysEver: ring.keysEver + 1 };
    case 'SshKeyRemoved':
      return { ...ring, keys: ring.keys.filter((key) => key.keyId !== event.data.keyId) };
  }
}
