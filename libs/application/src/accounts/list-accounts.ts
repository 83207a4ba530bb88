import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Account } from '@keyfold/domain';
import { accounts, ReadModelStore, type Page } from '@keyfold/projections';

/** Lists accounts in order of their ids. */
export class ListAccountsQuery extends Query<Page<Account>> {
  constructor(
    readonly offset: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListAccountsQuery)
export class ListAccountsHandler implements IQueryHandler<ListAccountsQuery> {
  constructor(private readonly readModels: ReadModelStore) {}

  execute({ offset, limit }: ListAccountsQuery): Promise<Page<Account>> {
    return this.readModels.list(accounts, offset, limit);
  }
}
