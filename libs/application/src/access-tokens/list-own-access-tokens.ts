import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accessTokensStream, StreamLoader } from '@keyfold/projections';
import { requireTokenHolder, type Caller } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { listAccessTokens, type ListedAccessToken } from './listed-access-token.js';

/** Lists the caller's access tokens, oldest first, including expired ones that were not revoked. */
export class ListOwnAccessTokensQuery extends Query<readonly ListedAccessToken[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

/** @throws `guest-has-no-tokens`. */
@QueryHandler(ListOwnAccessTokensQuery)
export class ListOwnAccessTokensHandler implements IQueryHandler<ListOwnAccessTokensQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute({ caller }: ListOwnAccessTokensQuery): Promise<readonly ListedAccessToken[]> {
    requireTokenHolder(caller);
    const [{ state }] = await this.loader.load(accessTokensStream(caller.account.accountId));
    return listAccessTokens(state.tokens, this.activity, this.clock.now());
  }
}
