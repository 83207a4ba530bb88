import type { Aggregate } from '../kernel/aggregate.js';
import { memoryOf } from '../kernel/bounded-text.js';
import { sshKeyRingDecider, type SshKey, type SshKeyRing, type SshKeyRingCommand } from './ssh-key-ring.decider.js';
import { sshKeyRingUpcasters, type SshKeyRingEvent } from './ssh-key-ring.events.js';

export const sshKeyRingAggregate: Aggregate<number, SshKeyRing, SshKeyRingCommand, SshKeyRingEvent> = {
  name: 'ssh-keys',
  decider: sshKeyRingDecider,
  upcasters: sshKeyRingUpcasters,
  streamPrefix: 'ssh-keys-',
  streamOf: (accountId) => `ssh-keys-${accountId}`,
  // Counts the texts three times: the list of the keys and the answer made from it are cached with the ring.
  weightOf: ({ keys }) => 1 + Math.ceil((3 * memoryOf(...keys.flatMap(textsOf)) + 300 * keys.length) / 1024),
};

const textsOf = ({ title, key }: SshKey) => [title, key.blob, key.comment];
