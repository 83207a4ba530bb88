import type { Decider, Decision } from '../kernel/decider.js';
import { DomainError } from '../kernel/domain-error.js';
import { keyIdOf, LAST_KEY_NUMBER } from './ssh-key-id.js';
import type { PublicKey, SshKeyAdded, SshKeyRingEvent } from './ssh-key-ring.events.js';

/** A key of the ring with its id, its title as sent and the time of its addition (unix milliseconds). */
export type SshKey = SshKeyAdded['data'];

/** The keys of one account in the order of their addition; `keysEver` counts all that there ever were. */
export type SshKeyRing = Readonly<{ keys: readonly SshKey[]; keysEver: number }>;

/** `key` is absent when the text could not be read: the title is looked at first (wire contract 2.5). */
export type AddSshKey = Readonly<{
  type: 'AddSshKey';
  accountId: number;
  title: string;
  key: PublicKey | undefined;
  now: number;
}>;
/** Refused with `ssh-key-not-found` unless the ring has the key. */
export type RemoveSshKey = Readonly<{ type: 'RemoveSshKey'; keyId: number }>;
export type SshKeyRingCommand = AddSshKey | RemoveSshKey;

/** An account has at most this many keys at a time. */
export const KEYS_PER_ACCOUNT = 1000;

/**
 * Decides on the keys of one account: a title once, compared exactly, and a key once, by its fingerprint. A number that a key had is never
 * given again. Of several reasons to refuse an addition the first counts: title, text, key, room.
 */
export const sshKeyRingDecider: Decider<SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  initialState: { keys: [], keysEver: 0 },
  decide: (ring, command) => (command.type === 'AddSshKey' ? add(ring, command) : remove(ring, command)),
  evolve,
};

function add(ring: SshKeyRing, { accountId, title, key, now }: AddSshKey): Decision<SshKeyRingEvent> {
  if (ring.keys.some((other) => other.title === title)) throw new DomainError('ssh-key-title-taken');
  if (!key) throw new DomainError('ssh-key-invalid');
  if (ring.keys.some((other) => other.key.fingerprint === key.fingerprint)) throw new DomainError('ssh-key-taken');
  const full = ring.keys.length >= KEYS_PER_ACCOUNT || ring.keysEver >= LAST_KEY_NUMBER;
  if (full) throw new DomainError('ssh-key-limit-reached');
  const data = { keyId: keyIdOf(accountId, ring.keysEver + 1), title, key, addedAt: now };
  return { events: [{ type: 'SshKeyAdded', v: 1, data }] };
}

function remove(ring: SshKeyRing, { keyId }: RemoveSshKey): Decision<SshKeyRingEvent> {
  const found = ring.keys.find((key) => key.keyId === keyId);
  if (!found) throw new DomainError('ssh-key-not-found');
  return { events: [{ type: 'SshKeyRemoved', v: 1, data: { keyId, fingerprint: found.key.fingerprint } }] };
}

function evolve(ring: SshKeyRing, event: SshKeyRingEvent): SshKeyRing {
  switch (event.type) {
    case 'SshKeyAdded':
      return { keys: [...ring.keys, event.data], keysEver: ring.keysEver + 1 };
    case 'SshKeyRemoved':
      return { ...ring, keys: ring.keys.filter((key) => key.keyId !== event.data.keyId) };
  }
}
