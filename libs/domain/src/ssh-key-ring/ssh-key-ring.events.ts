import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** A parsed public key: `blob` is the wire form in base64, `fingerprint` as `ssh-keygen -lf` prints it. */
export type PublicKey = Readonly<{ type: string; blob: string; fingerprint: string; bits: number; comment: string }>;

/** `keyId` is the account's id times 2^20 plus a number that is never used again; `addedAt` in unix milliseconds. */
export type SshKeyAdded = DomainEvent<
  'SshKeyAdded',
  { keyId: number; title: string; key: PublicKey; addedAt: number },
  undefined
>;
/** The key opens nothing from here on; it may be added again, under another id. */
export type SshKeyRemoved = DomainEvent<'SshKeyRemoved', { keyId: number; fingerprint: string }, undefined>;

export type SshKeyRingEvent = SshKeyAdded | SshKeyRemoved;

export const sshKeyRingUpcasters = {
  SshKeyAdded: { 1: 'current' },
  SshKeyRemoved: { 1: 'current' },
} satisfies Record<SshKeyRingEvent['type'], Upcasters[string]>;
