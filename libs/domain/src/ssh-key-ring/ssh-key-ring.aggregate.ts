import type { Aggregate } from '../kernel/aggregate.js';
import { sizeOfKeys } from './ssh-key-index.js';
import { sshKeyRingDecider, type SshKeyRing, type SshKeyRingCommand } from './ssh-key-ring.decider.js';
import { sshKeyRingUpcasters, type SshKeyRingEvent } from './ssh-key-ring.events.js';

export const sshKeyRingAggregate: Aggregate<number, SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  name: 'ssh-keys',
  decider: sshKeyRingDecider,
  upcasters: sshKeyRingUpcasters,
  streamPrefix: 'ssh-keys-',
  streamOf: (accountId) => `ssh-keys-${accountId}`,
  // Includes the answer that lists the titles, because it is cached with the ring.
  weightOf: ({ keys }) => 1 + Math.ceil(sizeOfKeys(keys).memory / 1024),
};
