import { describe, it } from 'vitest';
import { given } from '../../testing/decider-specification.js';
import { erasuresDecider } from './erasures.decider.js';
import type { AccountErased, BackupMade } from './erasures.events.js';

const erased = (accountId: number, erasedAt: number): AccountErased => ({
  type: 'AccountErased',
  v: 1,
  data: { accountId, erasedAt },
});
const made = (folder: string, host: string, madeAt: number): BackupMade => ({
  type: 'BackupMade',
  v: 1,
  data: { folder, host, madeAt },
});

describe('RecordErasure', () => {
  it('records each account once', () => {
    const record = { type: 'RecordErasure', accountId: 7, erasedAt: 2 } as const;
    given(erasuresDecider, erased(8, 1)).when(record).thenEvents(erased(7, 2)).thenHolds();
    given(erasuresDecider, erased(7, 1)).when(record).thenNothing();
  });
});

describe('RecordBackup', () => {
  it('records each folder of a host once', () => {
    const record = { type: 'RecordBackup', folder: '/backup', host: 'one', madeAt: 2 } as const;
    const others = [made('/backup', 'two', 1), made('/other', 'one', 1)];
    given(erasuresDecider, ...others)
      .when(record)
      .thenEvents(made('/backup', 'one', 2))
      .thenHolds();
    given(erasuresDecider, made('/backup', 'one', 1))
      .when(record)
      .thenNothing();
  });
});
