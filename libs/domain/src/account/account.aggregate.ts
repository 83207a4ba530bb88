import type { Aggregate } from '../kernel/aggregate.js';
import { bytesOf, memoryOf } from '../kernel/bounded-text.js';
import type { AccountCommand } from './account.commands.js';
import { accountDecider } from './account.decider.js';
import { accountUpcasters, type AccountEvent } from './account.events.js';
import type { Account } from './account.state.js';

/** The accounts that the first start makes; neither can be deleted. */
export const ADMIN_ID = 1;
export const GUEST_ID = 2;

export const accountAggregate: Aggregate<number, Account, AccountCommand, AccountEvent> = {
  name: 'account',
  decider: accountDecider,
  upcasters: accountUpcasters,
  streamPrefix: 'account-',
  streamOf: (accountId) => `account-${accountId}`,
  // The answer that shows the account to itself is kept with it.
  weightOf: ({ username, basePath, ssoId }) =>
    1 + Math.floor((memoryOf(username, basePath, ssoId) + 2 * bytesOf(username, basePath, ssoId)) / 1024),
};
