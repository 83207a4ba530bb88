import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { bytesOf, DomainError, type Account } from '@keyfold/domain';
import {
  accounts,
  accountStream,
  PAGE_BYTES,
  ReadModelStore,
  StreamLoader,
  type ListSelection,
  type Page,
} from '@keyfold/projections';
import { UserNames } from '../login/user-names.js';

export class FindAccountQuery extends Query<number> {
  constructor(readonly username: string) {
    super();
  }
}

/** @throws `username-empty` or `find-user-failed`. */
@QueryHandler(FindAccountQuery)
export class FindAccountHandler implements IQueryHandler<FindAccountQuery> {
  constructor(private readonly names: UserNames) {}

  async execute({ username }: FindAccountQuery): Promise<number> {
    if (username === '') throw new DomainError('username-empty');
    const accountId = await this.names.find(username);
    if (accountId === undefined) throw new DomainError('find-user-failed');
    return accountId;
  }
}

export class GetAccountQuery extends Query<Account> {
  constructor(readonly accountId: number) {
    super();
  }
}

/** @throws `account-not-found`. */
@QueryHandler(GetAccountQuery)
export class GetAccountHandler implements IQueryHandler<GetAccountQuery> {
  constructor(private readonly loader: StreamLoader) {}

  async execute({ accountId }: GetAccountQuery): Promise<Account> {
    const [{ state: account }] = await this.loader.load(accountStream(accountId));
    if (account.status !== 'active') throw new DomainError('account-not-found');
    return account;
  }
}

/** In bytes of the answer. Each account counts on a page with its texts, and with this for everything else. */
export const ACCOUNT_BYTES = 200;
/** More accounts never fit into a page. */
const MOST_ACCOUNTS = Math.ceil(PAGE_BYTES / ACCOUNT_BYTES);

/**
 * Lists accounts in order of their ids; a search is for a part of the name. A page ends early if it is full, but has at least one account.
 *
 * @throws `SearchTimeout`.
 */
export class ListAccountsQuery extends Query<Page<Account>> {
  constructor(
    readonly offset: number,
    readonly limit: number,
    readonly selection: ListSelection = {},
  ) {
    super();
  }
}

@QueryHandler(ListAccountsQuery)
export class ListAccountsHandler implements IQueryHandler<ListAccountsQuery> {
  constructor(private readonly readModels: ReadModelStore) {}

  execute({ offset, limit, selection }: ListAccountsQuery): Promise<Page<Account>> {
    let bytes = 0;
    const fits = ({ username, basePath, ssoId }: Account) => {
      const isFirst = bytes === 0;
      bytes += ACCOUNT_BYTES + bytesOf(username, basePath, ssoId);
      return isFirst || bytes <= PAGE_BYTES;
    };
    return this.readModels.list(accounts, offset, Math.min(limit, MOST_ACCOUNTS), fits, selection);
  }
}
