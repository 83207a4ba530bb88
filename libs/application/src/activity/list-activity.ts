import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { refuseGuest, type Caller } from '../caller/caller.js';
import { ActivityHistory, type ActivityPage, type ActivitySelection, type ShownActivity } from './activity-history.js';
import type { ActivityCursor } from './activity.js';

/** Lists what was done to the caller's account, the newest first. Addresses and sessions of other people are left out. */
export class ListOwnActivityQuery extends Query<ActivityPage> {
  constructor(
    readonly caller: Caller,
    readonly selection: Omit<ActivitySelection, 'accountId'>,
    readonly paging: Readonly<{ after: ActivityCursor | undefined; limit: number }>,
  ) {
    super();
  }
}

/** @throws `guest-has-no-history`: everybody may use the guest account. */
@QueryHandler(ListOwnActivityQuery)
export class ListOwnActivityHandler implements IQueryHandler<ListOwnActivityQuery> {
  constructor(private readonly history: ActivityHistory) {}

  async execute({ caller, selection, paging }: ListOwnActivityQuery): Promise<ActivityPage> {
    refuseGuest(caller, 'guest-has-no-history');
    const { accountId, username } = caller.account;
    return this.history.page({ accountId, username }, { ...selection, accountId }, paging);
  }
}

/** Lists the activity about any account, deleted ones included, or about all and the settings; the newest first. */
export class ListAnyActivityQuery extends Query<ActivityPage> {
  constructor(
    readonly selection: ActivitySelection,
    readonly paging: Readonly<{ after: ActivityCursor | undefined; limit: number }>,
  ) {
    super();
  }
}

/** @throws `account-not-found` if the selected account never existed. */
@QueryHandler(ListAnyActivityQuery)
export class ListAnyActivityHandler implements IQueryHandler<ListAnyActivityQuery> {
  constructor(
    private readonly history: ActivityHistory,
    private readonly loader: StreamLoader,
  ) {}

  async execute({ selection, paging }: ListAnyActivityQuery): Promise<ActivityPage> {
    const page = await this.history.page('administrator', selection, paging);
    if (page.items.length === 0 && selection.accountId !== undefined) {
      const [{ version }] = await this.loader.load(accountStream(selection.accountId));
      if (version === 0) throw new DomainError('account-not-found');
    }
    return page;
  }
}

/** Reads all selected activity, the newest first, some entries at a time. */
export class ExportActivityQuery extends Query<AsyncGenerator<readonly ShownActivity[]>> {
  constructor(readonly selection: ActivitySelection) {
    super();
  }
}

/** The result reads on only when the next entries are asked for. It throws `StoreUnavailable` where it cannot. */
@QueryHandler(ExportActivityQuery)
export class ExportActivityHandler implements IQueryHandler<ExportActivityQuery> {
  constructor(private readonly history: ActivityHistory) {}

  async execute({ selection }: ExportActivityQuery): Promise<AsyncGenerator<readonly ShownActivity[]>> {
    return this.history.all('administrator', selection);
  }
}
