import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { requireHistoryHolder, type Caller } from '../caller/caller.js';
import type { ActivityPlace } from './activity.js';
import { ActivityHistory, type ActivityPage, type ActivitySelection } from './activity-history.js';

/** Lists what was done to the caller's account, the newest first. Addresses and sessions of other people are left out. */
export class ListOwnActivityQuery extends Query<ActivityPage> {
  constructor(
    readonly caller: Caller,
    readonly selection: Omit<ActivitySelection, 'accountId'>,
    readonly paging: Readonly<{ after: ActivityPlace | undefined; limit: number }>,
  ) {
    super();
  }
}

/** @throws `guest-has-no-history`. */
@QueryHandler(ListOwnActivityQuery)
export class ListOwnActivityHandler implements IQueryHandler<ListOwnActivityQuery> {
  constructor(private readonly history: ActivityHistory) {}

  async execute({ caller, selection, paging }: ListOwnActivityQuery): Promise<ActivityPage> {
    requireHistoryHolder(caller);
    const { accountId, username } = caller.account;
    return this.history.page({ accountId, username }, { ...selection, accountId }, paging);
  }
}
