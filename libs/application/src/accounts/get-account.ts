import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type Account } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';

export class GetAccount extends Query<Account> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetAccount)
export class GetAccountHandler implements IQueryHandler<GetAccount> {
  constructor(private readonly loader: StreamLoader) {}

  async execute({ accountId }: GetAccount): Promise<Account> {
    const [{ state: account }] = await this.loader.load(accountStream(accountId));
    if (account.status !== 'active') throw new DomainError('account-not-found');
    return account;
  }
}
