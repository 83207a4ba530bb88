import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Account } from '@keyfold/domain';
import type { Caller } from '../caller/caller.js';

/** Returns the caller's account as it was when the caller was identified. */
export class GetOwnProfileQuery extends Query<Account> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(GetOwnProfileQuery)
export class GetOwnProfileHandler implements IQueryHandler<GetOwnProfileQuery> {
  async execute({ caller }: GetOwnProfileQuery): Promise<Account> {
    return caller.account;
  }
}
