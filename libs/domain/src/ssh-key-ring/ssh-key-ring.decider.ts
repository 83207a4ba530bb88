import type { Aggregate } from '../kernel/aggregate.js';
import type { Decider, Decision } from '../kernel/decider.js';
import { bytesOf, requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import { DomainError } from '../kernel/domain-error.js';
import { accountOfId, LAST_NUMBER, numberedId } from '../kernel/numbered-ids.js';
import { isUnannounced, requireTimelyExpiry, type KeyExpiry } from './ssh-key-expiry.js';
import { hasFingerprint, hasTitle, withAdded, withRemoved, withReplaced } from './ssh-key-index.js';
import {
  sshKeyRingUpcasters,
  type PublicKey,
  type SshKeyAdded,
  type SshKeyExpiryChanged,
  type SshKeyRingEvent,
} from './ssh-key-ring.events.js';

/** A key of the ring with its id, its title as sent, and the time of its addition in unix milliseconds. */
export type SshKey = SshKeyAdded['data'] & KeyExpiry;

/**
 * The keys of one account in the order of their addition. `keysEver` also counts the removed ones. `bytes` is the size of all keys
 * (`bytesOfKey`): it is part of the state so that adding a key takes equally long in rings of any length.
 */
export type SshKeyRing = Readonly<{ keys: readonly SshKey[]; keysEver: number; bytes: number }>;

/**
 * Adds a key. `key` is undefined if its text could not be parsed; the title is still checked first (wire contract 2.5). Without `expiresAt`
 * it never expires.
 */
export type AddSshKey = Readonly<{
  type: 'AddSshKey';
  accountId: number;
  title: string;
  key: PublicKey | undefined;
  expiresAt?: number | undefined;
  now: number;
}>;
/** Adds keys of another service in one commit, each as `AddSshKey` would, or none of them. */
export type ImportSshKeys = Readonly<{
  type: 'ImportSshKeys';
  accountId: number;
  keys: readonly Pick<AddSshKey, 'title' | 'key' | 'now'>[];
}>;
/** Removes a key. Refused with `ssh-key-not-found` if the ring does not contain it. */
export type RemoveSshKey = Readonly<{ type: 'RemoveSshKey'; keyId: number }>;
/** Changes title and expiry of a key, or only one of them. An `expiresAt` of null means that it never expires. */
export type UpdateSshKey = Readonly<{
  type: 'UpdateSshKey';
  keyId: number;
  title?: string | undefined;
  expiresAt?: number | null | undefined;
  now: number;
}>;
/** Records the keys that have expired by `now`, each once per expiry. */
export type ExpireSshKeys = Readonly<{ type: 'ExpireSshKeys'; now: number }>;
export type SshKeyRingCommand = AddSshKey | ImportSshKeys | RemoveSshKey | UpdateSshKey | ExpireSshKeys;

/** Returns the id of the account's n-th key ever, with n from 1 to `LAST_NUMBER`. */
export const keyIdOf = numberedId;

/** Returns the id of the account to which a key with this id would belong. */
export const accountOfKey = accountOfId;

/** Maximum number of keys of an account, and of bytes in all of them together. */
export const KEYS_PER_ACCOUNT = 1000;
export const BYTES_PER_RING = 1024 * 1024;

/**
 * Decides on the keys of one account. Titles are unique and compared exactly; keys are unique by fingerprint. Key numbers are never
 * reused. If there are several reasons to refuse an addition, the first of these applies: title, text, key, limit, expiry. Expired keys
 * count like all others.
 */
export const sshKeyRingDecider: Decider<SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  initialState: { keys: [], keysEver: 0, bytes: 0 },
  decide,
  evolve,
};

export const sshKeyRingAggregate: Aggregate<number, SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  name: 'ssh-keys',
  decider: sshKeyRingDecider,
  upcasters: sshKeyRingUpcasters,
  streamPrefix: 'ssh-keys-',
  streamOf: (accountId) => `ssh-keys-${accountId}`,
};

function decide(ring: SshKeyRing, command: SshKeyRingCommand): Decision<SshKeyRingEvent> {
  switch (command.type) {
    case 'AddSshKey':
      return add(ring, command);
    case 'ImportSshKeys':
      return addAll(ring, command);
    case 'RemoveSshKey':
      return remove(ring, command);
    case 'UpdateSshKey':
      return update(ring, command);
    case 'ExpireSshKeys':
      return expire(ring, command);
  }
}

function add(
  ring: SshKeyRing,
  { accountId, title, key, expiresAt, now }: Omit<AddSshKey, 'type'>,
): Decision<SshKeyRingEvent> {
  requireFreeTitle(ring, title);
  if (!key) throw new DomainError('ssh-key-invalid');
  if (hasFingerprint(ring.keys, key.fingerprint)) throw new DomainError('ssh-key-taken');
  const tooMany = ring.keys.length >= KEYS_PER_ACCOUNT || ring.keysEver >= LAST_NUMBER;
  const tooLarge = ring.bytes + bytesOfKey({ title, key }) > BYTES_PER_RING;
  if (tooMany || tooLarge) throw new DomainError('ssh-key-limit-reached');
  const keyId = keyIdOf(accountId, ring.keysEver + 1);
  const added = { type: 'SshKeyAdded', v: 1, data: { keyId, title, key, addedAt: now } } as const;
  if (expiresAt === undefined) return { events: [added] };
  requireTimelyExpiry(expiresAt, now);
  return { events: [added, expiryChanged(keyId, expiresAt)] };
}

function addAll(ring: SshKeyRing, { accountId, keys }: ImportSshKeys): Decision<SshKeyRingEvent> {
  const events: SshKeyRingEvent[] = [];
  let state = ring;
  for (const key of keys) {
    const added = add(state, { ...key, accountId }).events;
    events.push(...added);
    state = added.reduce(evolve, state);
  }
  return { events };
}

/** Returns the size of a key in bytes, with its title and comment. */
export const bytesOfKey = ({ title, key: { type, blob, comment } }: Pick<SshKey, 'title' | 'key'>): number =>
  bytesOf(title, type, blob, comment);

function remove(ring: SshKeyRing, { keyId }: RemoveSshKey): Decision<SshKeyRingEvent> {
  const { key } = keyIn(ring, keyId);
  return { events: [{ type: 'SshKeyRemoved', v: 1, data: { keyId, fingerprint: key.fingerprint } }] };
}

function update(ring: SshKeyRing, { keyId, title, expiresAt, now }: UpdateSshKey): Decision<SshKeyRingEvent> {
  const found = keyIn(ring, keyId);
  const events: SshKeyRingEvent[] = [];
  if (title !== undefined && title !== found.title) {
    requireFreeTitle(ring, title);
    requireRoomFor(ring, found.title, title);
    events.push({ type: 'SshKeyRenamed', v: 1, data: { keyId, title } });
  }
  // An unchanged expiry may lie in the past: clients send a whole form back.
  if (expiresAt !== undefined && expiresAt !== (found.expiresAt ?? null)) {
    if (expiresAt !== null) requireTimelyExpiry(expiresAt, now);
    events.push(expiryChanged(keyId, expiresAt));
  }
  return { events };
}

function expire({ keys }: SshKeyRing, { now }: ExpireSshKeys): Decision<SshKeyRingEvent> {
  const expired = keys.filter(isUnannounced).filter(({ expiresAt }) => expiresAt <= now);
  return {
    events: expired.map(({ keyId, key: { fingerprint }, expiresAt }) => {
      return { type: 'SshKeyExpired', v: 1, data: { keyId, fingerprint, expiresAt } };
    }),
  };
}

const expiryChanged = (keyId: number, expiresAt: number | null): SshKeyExpiryChanged => ({
  type: 'SshKeyExpiryChanged',
  v: 1,
  data: { keyId, expiresAt },
});

function keyIn({ keys }: SshKeyRing, keyId: number): SshKey {
  const found = keys.find((key) => key.keyId === keyId);
  if (!found) throw new DomainError('ssh-key-not-found');
  return found;
}

function requireFreeTitle({ keys }: SshKeyRing, title: string): void {
  requireMaxBytes(title, TEXT_BYTES.title, 'ssh-key-title-too-long');
  if (hasTitle(keys, title)) throw new DomainError('ssh-key-title-taken');
}

/** A ring that is larger than its limit may still shrink. */
function requireRoomFor({ bytes }: SshKeyRing, former: string, title: string): void {
  const growth = bytesOf(title) - bytesOf(former);
  if (growth > 0 && bytes + growth > BYTES_PER_RING) throw new DomainError('ssh-key-limit-reached');
}

function evolve(ring: SshKeyRing, event: SshKeyRingEvent): SshKeyRing {
  const { data } = event;
  switch (event.type) {
    case 'SshKeyAdded':
      return {
        keys: withAdded<SshKey>(ring.keys, event.data),
        keysEver: ring.keysEver + 1,
        bytes: ring.bytes + bytesOfKey(event.data),
      };
    case 'SshKeyRemoved': {
      const removed = keyIn(ring, data.keyId);
      return { ...ring, keys: withRemoved(ring.keys, removed), bytes: ring.bytes - bytesOfKey(removed) };
    }
    case 'SshKeyRenamed':
      return {
        ...withChanged(ring, data.keyId, (key) => ({ ...key, title: event.data.title })),
        bytes: ring.bytes - bytesOf(keyIn(ring, data.keyId).title) + bytesOf(event.data.title),
      };
    case 'SshKeyExpiryChanged': {
      const { expiresAt } = event.data;
      return withChanged(ring, data.keyId, ({ expiresAt: _, announced: __, ...key }) =>
        expiresAt === null ? key : { ...key, expiresAt },
      );
    }
    case 'SshKeyExpired':
      return withChanged(ring, data.keyId, (key) => ({ ...key, announced: true }));
  }
}

function withChanged(ring: SshKeyRing, keyId: number, change: (key: SshKey) => SshKey): SshKeyRing {
  const key = keyIn(ring, keyId);
  return { ...ring, keys: withReplaced(ring.keys, key, change(key)) };
}
