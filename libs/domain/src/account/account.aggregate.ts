import type { Aggregate } from '../kernel/aggregate.js';
import type { AccountCommand } from './account.commands.js';
import { accountDecider } from './account.decider.js';
import { accountUpcasters, type AccountEvent } from './account.events.js';
import type { Account } from './account.state.js';

/** The ids of the accounts that the first start creates. Neither can be deleted. */
export const ADMIN_ID = 1;
export const GUEST_ID = 2;

export const accountAggregate: Aggregate<number, Account, AccountCommand, AccountEvent> = {
  name: 'account',
  decider: accountDecider,
  upcasters: accountUpcasters,
  streamPrefix: 'account-',
  streamOf: (accountId) => `account-${accountId}`,
};
