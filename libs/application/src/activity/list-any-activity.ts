import { DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ActivityPlace } from './activity.js';
import { ActivityHistory, type ActivityPage, type ActivitySelection } from './activity-history.js';

/** Lists the activity about any account, deleted ones included, or about all and the settings; the newest first. */
export class ListAnyActivityQuery extends Query<ActivityPage> {
  constructor(
    readonly selection: ActivitySelection,
    readonly paging: Readonly<{ after: ActivityPlace | undefined; limit: number }>,
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
    if (page.items.length === 0 && selection.accountId !== undefined) await this.#requireAccount(selection.accountId);
    return page;
  }

  async #requireAccount(accountId: number): Promise<void> {
    const [{ version }] = await this.loader.load(accountStream(accountId));
    if (version === 0) throw new DomainError('account-not-found');
  }
}
