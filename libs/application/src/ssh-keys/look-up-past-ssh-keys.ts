import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore } from '@keyfold/event-store';
import { accountAt } from '../activity/account-at.js';
import { UserNames } from '../user-names.js';
import { lookedUp, type LookedUpAccount } from './look-up-ssh-keys.js';

/**
 * Looks up the keys that could log in with a user name at a time in unix milliseconds, like `LookUpSshKeysQuery` at that time. The name may have belonged to
 * an account that now has another one, or that was deleted since.
 */
export class LookUpPastSshKeysQuery extends Query<LookedUpAccount | null> {
  constructor(
    readonly username: string,
    readonly fingerprint: string | undefined,
    readonly at: number,
  ) {
    super();
  }
}

/** Reads the whole history of one account. Throws `UnfoldableStream`. */
@QueryHandler(LookUpPastSshKeysQuery)
export class LookUpPastSshKeysHandler implements IQueryHandler<LookUpPastSshKeysQuery> {
  constructor(
    private readonly store: EventStore,
    private readonly names: UserNames,
  ) {}

  async execute({ username, fingerprint, at }: LookUpPastSshKeysQuery): Promise<LookedUpAccount | null> {
    const owner = await this.names.ownerAt(username, at);
    if (owner === undefined) return null;
    const past = await accountAt(this.store, owner, at);
    const { status, username: name } = past.account;
    return status === 'active' && name === username ? lookedUp(past, fingerprint, at) : null;
  }
}
