import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { bytesOf, type Account } from '@keyfold/domain';
import { accounts, ReadModelStore, type Page } from '@keyfold/projections';

/** Maximum size of a page, in bytes of the answer. Each account counts with its texts and with `ENTRY_BYTES` for everything else. */
const PAGE_BYTES = 2 * 1024 * 1024;
const ENTRY_BYTES = 200;

/** Lists accounts in order of their ids. A page ends early if it is full, but has at least one account. */
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
    let bytes = 0;
    return this.readModels.list(accounts, offset, limit, ({ username, basePath, ssoId }) => {
      const isFirst = bytes === 0;
      bytes += ENTRY_BYTES + bytesOf(username, basePath, ssoId);
      return isFirst || bytes <= PAGE_BYTES;
    });
  }
}
