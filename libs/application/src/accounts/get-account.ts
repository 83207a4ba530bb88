import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type Account } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';

/** Reads the current state of an account. */
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
