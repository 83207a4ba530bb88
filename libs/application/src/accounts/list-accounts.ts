import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Account } from '@keyfold/domain';
import { accounts, ReadModelStore, type Page } from '@keyfold/projections';

/** Accounts in the order of their ids. */
export class ListAccounts extends Query<Page<Account>> {
  constructor(
    readonly offset: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListAccounts)
export class ListAccountsHandler implements IQueryHandler<ListAccounts> {
  constructor(private readonly readModels: ReadModelStore) {}

  execute({ offset, limit }: ListAccounts): Promise<Page<Account>> {
    return this.readModels.list(accounts, offset, limit);
  }
}
