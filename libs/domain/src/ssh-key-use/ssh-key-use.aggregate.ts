import type { Aggregate } from '../kernel/aggregate.js';
import { sshKeyUseDecider, type RecordSshKeyUse, type SshKeyUse } from './ssh-key-use.decider.js';
import { sshKeyUseUpcasters, type SshKeyUseEvent } from './ssh-key-use.events.js';

export const sshKeyUseAggregate: Aggregate<number, SshKeyUse, RecordSshKeyUse, SshKeyUseEvent> = {
  name: 'ssh-key-use',
  decider: sshKeyUseDecider,
  upcasters: sshKeyUseUpcasters,
  streamPrefix: 'ssh-key-use-',
  streamOf: (accountId) => `ssh-key-use-${accountId}`,
};
