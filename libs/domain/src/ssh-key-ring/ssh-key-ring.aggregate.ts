import type { Aggregate } from '../kernel/aggregate.js';
import { sshKeyRingDecider, type SshKeyRing, type SshKeyRingCommand } from './ssh-key-ring.decider.js';
import { sshKeyRingUpcasters, type SshKeyRingEvent } from './ssh-key-ring.events.js';

export const sshKeyRingAggregate: Aggregate<number, SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  name: 'ssh-keys',
  decider: sshKeyRingDecider,
  upcasters: sshKeyRingUpcasters,
  streamPrefix: 'ssh-keys-',
  streamOf: (accountId) => `ssh-keys-${accountId}`,
};
