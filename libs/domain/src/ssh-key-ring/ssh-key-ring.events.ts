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

/** A key got another title. */
export type SshKeyRenamed = DomainEvent<'SshKeyRenamed', { keyId: number; title: string }, undefined>;
/**
 * A key got an expiry, another one, or none (`null`). `expiresAt` is in unix milliseconds. In the commit of `SshKeyAdded` it is the expiry
 * that the key began with. A key that had expired can be used again from then on.
 */
export type SshKeyExpiryChanged = DomainEvent<
  'SshKeyExpiryChanged',
  { keyId: number; expiresAt: number | null },
  undefined
>;
/** A key expired at `expiresAt`, in unix milliseconds. It was refused from that time on; this event follows shortly after. */
export type SshKeyExpired = DomainEvent<
  'SshKeyExpired',
  { keyId: number; fingerprint: string; expiresAt: number },
  undefined
>;

export type SshKeyRingEvent = SshKeyAdded | SshKeyRemoved | SshKeyRenamed | SshKeyExpiryChanged | SshKeyExpired;

export const sshKeyRingUpcasters: Upcasters<SshKeyRingEvent['type']> = {
  SshKeyAdded: [],
  SshKeyRemoved: [],
  SshKeyRenamed: [],
  SshKeyExpiryChanged: [],
  SshKeyExpired: [],
};
