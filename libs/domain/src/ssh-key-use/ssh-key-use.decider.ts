import type { Decider } from '../kernel/decider.js';
import type { SshKeyUseEvent } from './ssh-key-use.events.js';

/** The last use of each key of one account, by key id, in unix milliseconds. */
export type SshKeyUse = Readonly<{ lastUsed: Readonly<Record<string, number>> }>;

/** A server saw a verified signature by this key; `usedAt` in unix milliseconds. */
export type RecordSshKeyUse = Readonly<{ type: 'RecordSshKeyUse'; keyId: number; usedAt: number }>;

/** Uses that follow the last recorded one within this time (milliseconds), or come before it, are not recorded. */
export const USE_INTERVAL = 600_000;

/** Records a use or leaves it out (`USE_INTERVAL`); refuses none. Whether the account has the key is not known here. */
export const sshKeyUseDecider: Decider<SshKeyUse, RecordSshKeyUse, SshKeyUseEvent> = {
  initialState: { lastUsed: {} },
  decide: (use, { keyId, usedAt }) => {
    const last = use.lastUsed[keyId];
    if (last !== undefined && usedAt < last + USE_INTERVAL) return { events: [] };
    return { events: [{ type: 'SshKeyUsed', v: 1, data: { keyId, usedAt } }] };
  },
  evolve: (use, event) => ({ lastUsed: { ...use.lastUsed, [event.data.keyId]: event.data.usedAt } }),
};
