import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { appPasswordsStream, StreamLoader } from '@keyfold/projections';
import { requireAppPasswordHolder, type Caller } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { listAppPasswords, type ListedAppPassword } from './listed-app-password.js';

/** Lists the caller's app passwords, oldest first, including expired ones that were not revoked. */
export class ListOwnAppPasswordsQuery extends Query<readonly ListedAppPassword[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

/** @throws `guest-has-no-app-passwords` or `app-password-session-required`. */
@QueryHandler(ListOwnAppPasswordsQuery)
export class ListOwnAppPasswordsHandler implements IQueryHandler<ListOwnAppPasswordsQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute({ caller }: ListOwnAppPasswordsQuery): Promise<readonly ListedAppPassword[]> {
    requireAppPasswordHolder(caller);
    const [{ state }] = await this.loader.load(appPasswordsStream(caller.account.accountId));
    return listAppPasswords(state.passwords, this.activity, this.clock.now());
  }
}
