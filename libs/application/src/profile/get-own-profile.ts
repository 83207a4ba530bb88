import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Account } from '@keyfold/domain';
import type { Caller } from '../caller/caller.js';

/** The account that the request speaks for, at the state at which it was identified. */
export class GetOwnProfile extends Query<Account> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(GetOwnProfile)
export class GetOwnProfileHandler implements IQueryHandler<GetOwnProfile> {
  async execute({ caller }: GetOwnProfile): Promise<Account> {
    return caller.account;
  }
}
