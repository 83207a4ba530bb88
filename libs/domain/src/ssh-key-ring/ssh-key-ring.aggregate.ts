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
  // The answer that lists the titles is kept with the ring.
  weightOf: ({ keys }) => 1 + Math.ceil(keys.reduce((sum, key) => sum + memoryOfKey(key), 0) / 1024),
};

/** Objects, fingerprint and the line of the answer without its title, in bytes. */
const BARE_KEY = 700;

const memoryOfKey = ({ title, key }: SshKey) => BARE_KEY + memoryOf(title, key.blob, key.comment) + 2 * bytesOf(title);
