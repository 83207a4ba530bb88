import type { Aggregate } from '../kernel/aggregate.js';
import { bytesOf, memoryOf } from '../kernel/bounded-text.js';
import { sshKeyRingDecider, type SshKey, type SshKeyRing, type SshKeyRingCommand } from './ssh-key-ring.decider.js';
import { sshKeyRingUpcasters, type SshKeyRingEvent } from './ssh-key-ring.events.js';

export const sshKeyRingAggregate: Aggregate<number, SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  name: 'ssh-keys',
  decider: sshKeyRingDecider,
  upcasters: sshKeyRingUpcasters,
  streamPrefix: 'ssh-keys-',
  streamOf: (accountId) => `ssh-keys-${accountId}`,
  // Includes the answer that lists the titles, because it is cached with the ring.
  weightOf: ({ keys }) => 1 + Math.ceil(keys.reduce((sum, key) => sum + memoryOfKey(key), 0) / 1024),
};

/** Memory of a key without its texts, in bytes: objects, fingerprint, and its entry in the answer. */
const KEY_OVERHEAD = 700;

const memoryOfKey = ({ title, key }: SshKey) =>
  KEY_OVERHEAD + memoryOf(title, key.blob, key.comment) + 2 * bytesOf(title);
