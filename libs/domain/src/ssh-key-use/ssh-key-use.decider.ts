import type { Aggregate } from '../kernel/aggregate.js';
import type { Decider } from '../kernel/decider.js';
import { sshKeyUseUpcasters, type SshKeyUseEvent } from './ssh-key-use.events.js';

/** The last uses of an account's keys by key id, in unix milliseconds. */
export type SshKeyUse = Readonly<{ lastUsed: Readonly<Record<string, number>> }>;

/** Records that a server verified a signature by this key. `usedAt` is in unix milliseconds. */
export type RecordSshKeyUse = Readonly<{ type: 'RecordSshKeyUse'; keyId: number; usedAt: number }>;

/** Minimum time between two recorded uses of a key, in milliseconds. Other uses, and earlier ones, are ignored. */
export const USE_INTERVAL = 600_000;

/** Records a use or ignores it (`USE_INTERVAL`), but never refuses it. It does not know whether the account has the key. */
export const sshKeyUseDecider: Decider<SshKeyUse, RecordSshKeyUse, SshKeyUseEvent> = {
  initialState: { lastUsed: {} },
  decide: (use, { keyId, usedAt }) => {
    const last = use.lastUsed[keyId];
    if (last !== undefined && usedAt < last + USE_INTERVAL) return { events: [] };
    return { events: [{ type: 'SshKeyUsed', v: 1, data: { keyId, usedAt } }] };
  },
  evolve: (use, event) => ({ lastUsed: { ...use.lastUsed, [event.data.keyId]: event.data.usedAt } }),
};

export const sshKeyUseAggregate: Aggregate<number, SshKeyUse, RecordSshKeyUse, SshKeyUseEvent> = {
  name: 'ssh-key-use',
  decider: sshKeyUseDecider,
  upcasters: sshKeyUseUpcasters,
  streamPrefix: 'ssh-key-use-',
  streamOf: (accountId) => `ssh-key-use-${accountId}`,
};
