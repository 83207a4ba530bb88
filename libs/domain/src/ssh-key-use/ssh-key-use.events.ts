import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** A key was used with a verified signature. `usedAt` is in unix milliseconds. There is at most one event per key and ten minutes. */
export type SshKeyUsed = DomainEvent<'SshKeyUsed', { keyId: number; usedAt: number }, undefined>;

export type SshKeyUseEvent = SshKeyUsed;

export const sshKeyUseUpcasters: Upcasters<SshKeyUseEvent['type']> = {
  SshKeyUsed: [],
};
