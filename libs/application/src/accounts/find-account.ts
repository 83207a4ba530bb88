import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { UserNames } from '../user-names.js';

/** The id of the account with exactly this name. */
export class FindAccount extends Query<number> {
  constructor(readonly username: string) {
    super();
  }
}

@QueryHandler(FindAccount)
export class FindAccountHandler implements IQueryHandler<FindAccount> {
  constructor(private readonly names: UserNames) {}

  async execute({ username }: FindAccount): Promise<number> {
    if (username === '') throw new DomainError('username-empty');
    const accountId = await this.names.find(username);
    if (accountId === undefined) throw new DomainError('find-user-failed');
    return accountId;
  }
}
