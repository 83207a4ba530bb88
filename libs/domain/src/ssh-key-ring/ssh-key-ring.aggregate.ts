import type { Aggregate } from '../kernel/aggregate.js';
import { bytesOfRing, sshKeyRingDecider, type SshKeyRing, type SshKeyRingCommand } from './ssh-key-ring.decider.js';
import { sshKeyRingUpcasters, type SshKeyRingEvent } from './ssh-key-ring.events.js';

export const sshKeyRingAggregate: Aggregate<number, SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  name: 'ssh-keys',
  decider: sshKeyRingDecider,
  upcasters: sshKeyRingUpcasters,
  streamOf: (accountId) => `ssh-keys-${accountId}`,
  // With the ring its list and the answer that shows it are kept.
  weightOf: ({ keys }) => 1 + Math.ceil((3 * bytesOfRing(keys) + 300 * keys.length) / 1024),
};
