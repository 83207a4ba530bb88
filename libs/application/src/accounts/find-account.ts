import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { UserNames } from '../user-names.js';

/** Finds the id of the account with exactly this name. */
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
