import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** A key logged in with a verified signature; `usedAt` in unix milliseconds. At most one per key and ten minutes. */
export type SshKeyUsed = DomainEvent<'SshKeyUsed', { keyId: number; usedAt: number }, undefined>;

export type SshKeyUseEvent = SshKeyUsed;

export const sshKeyUseUpcasters = {
  SshKeyUsed: { 1: 'current' },
} satisfies Record<SshKeyUseEvent['type'], Upcasters[string]>;
