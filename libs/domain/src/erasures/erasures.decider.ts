import type { Aggregate } from '../kernel/aggregate.js';
import type { Decider, Decision } from '../kernel/decider.js';
import { erasuresUpcasters, type AccountErased, type BackupMade, type ErasuresEvent } from './erasures.events.js';

/** Records that an account is erased, before its commits become void. */
export type RecordErasure = Readonly<{ type: 'RecordErasure' } & AccountErased['data']>;

/** Records where a backup is. Backups in the same folder of a host are recorded once. */
export type RecordBackup = Readonly<{ type: 'RecordBackup' } & BackupMade['data']>;

export type ErasuresCommand = RecordErasure | RecordBackup;

/** The erased accounts and the backups that may still contain them, each in the order in which they were recorded. */
export type Erasures = Readonly<{
  accounts: readonly AccountErased['data'][];
  backups: readonly BackupMade['data'][];
}>;

export const erasuresDecider: Decider<Erasures, ErasuresCommand, ErasuresEvent> = {
  initialState: { accounts: [], backups: [] },
  decide,
  evolve,
};

export const erasuresAggregate: Aggregate<'site', Erasures, ErasuresCommand, ErasuresEvent> = {
  name: 'erasures',
  decider: erasuresDecider,
  upcasters: erasuresUpcasters,
  streamPrefix: 'erasures',
  streamOf: () => 'erasures',
};

function decide({ accounts, backups }: Erasures, command: ErasuresCommand): Decision<ErasuresEvent> {
  switch (command.type) {
    case 'RecordErasure': {
      const { accountId, erasedAt } = command;
      if (accounts.some((erased) => erased.accountId === accountId)) return { events: [] };
      return { events: [{ type: 'AccountErased', v: 1, data: { accountId, erasedAt } }] };
    }
    case 'RecordBackup': {
      const { folder, host, madeAt } = command;
      if (backups.some((backup) => backup.folder === folder && backup.host === host)) return { events: [] };
      return { events: [{ type: 'BackupMade', v: 1, data: { folder, host, madeAt } }] };
    }
  }
}

function evolve({ accounts, backups }: Erasures, event: ErasuresEvent): Erasures {
  switch (event.type) {
    case 'AccountErased':
      return { accounts: [...accounts, event.data], backups };
    case 'BackupMade':
      return { accounts, backups: [...backups, event.data] };
  }
}
