import { keyIdOf } from '../src/ssh-key-ring/ssh-key-ring.decider.js';
import type { RecordSshKeyUse } from '../src/ssh-key-use/ssh-key-use.decider.js';
import type { SshKeyUsed } from '../src/ssh-key-use/ssh-key-use.events.js';

/** Returns a use of the n-th key of account 7. */
export const keyUsed = (n: number, usedAt: number): SshKeyUsed => ({
  type: 'SshKeyUsed',
  v: 1,
  data: { keyId: keyIdOf(7, n), usedAt },
});

export const recordUse = (n: number, usedAt: number): RecordSshKeyUse => ({
  type: 'RecordSshKeyUse',
  keyId: keyIdOf(7, n),
  usedAt,
});
