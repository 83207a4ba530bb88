import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { bytesOf, type Account } from '@keyfold/domain';
import { accounts, ReadModelStore, type Page } from '@keyfold/projections';

/** What a page may take, in bytes of an answer; each account counts with its texts and `ENTRY_BYTES`, for its other fields and the work on it. */
const PAGE_BYTES = 2 * 1024 * 1024;
const ENTRY_BYTES = 200;

/** Accounts in the order of their ids. A page ends early when it is full, but has one account at least. */
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
    let bytes = 0;
    return this.readModels.list(accounts, offset, limit, ({ username, basePath, ssoId }) => {
      const isFirst = bytes === 0;
      bytes += ENTRY_BYTES + bytesOf(username, basePath, ssoId);
      return isFirst || bytes <= PAGE_BYTES;
    });
  }
}
