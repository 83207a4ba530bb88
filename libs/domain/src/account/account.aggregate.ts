import type { Aggregate } from '../kernel/aggregate.js';
import { bytesOf, memoryOf } from '../kernel/bounded-text.js';
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
  // Includes the account's answer to `GET /api/me`, because it is cached with the account.
  weightOf: ({ username, basePath, ssoId }) =>
    1 + Math.floor((memoryOf(username, basePath, ssoId) + 2 * bytesOf(username, basePath, ssoId)) / 1024),
};
