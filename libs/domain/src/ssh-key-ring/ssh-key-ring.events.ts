import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** A parsed public key. `blob` is the wire format in base64; `fingerprint` has the form that `ssh-keygen -lf` prints. */
export type PublicKey = Readonly<{ type: string; blob: string; fingerprint: string; bits: number; comment: string }>;

/** A key was added. `keyId` is the account id times 2^20 plus a number that is never reused. `addedAt` is in unix milliseconds. */
export type SshKeyAdded = DomainEvent<
  'SshKeyAdded',
  { keyId: number; title: string; key: PublicKey; addedAt: number },
  undefined
>;
/** A key was removed and can no longer be used. It may be added again and then gets another id. */
export type SshKeyRemoved = DomainEvent<'SshKeyRemoved', { keyId: number; fingerprint: string }, undefined>;

export type SshKeyRingEvent = SshKeyAdded | SshKeyRemoved;

export const sshKeyRingUpcasters = {
  SshKeyAdded: { 1: 'current' },
  SshKeyRemoved: { 1: 'current' },
} satisfies Record<SshKeyRingEvent['type'], Upcasters[string]>;
