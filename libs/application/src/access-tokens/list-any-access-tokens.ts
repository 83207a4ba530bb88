import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfAccessToken, type AccessToken, type AccessTokens } from '@keyfold/domain';
import { accessTokens, accessTokensStream, ReadModelStore, StreamLoader, type Page } from '@keyfold/projections';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { HolderPages, type SecretHolder } from '../named-secrets/holder-pages.js';
import { listAccessTokens, type ListedAccessToken } from './listed-access-token.js';

/** The access tokens of one account. */
export type AccessTokenHolder = SecretHolder<ListedAccessToken>;

/** Returns a page of the accounts that have access tokens, as `HolderPages` defines it. */
export class ListAnyAccessTokensQuery extends Query<Page<AccessTokenHolder>> {
  constructor(
    readonly offset: number,
    readonly limit: number,
    readonly accountId?: number,
  ) {
    super();
  }
}

@QueryHandler(ListAnyAccessTokensQuery)
export class ListAnyAccessTokensHandler implements IQueryHandler<ListAnyAccessTokensQuery> {
  readonly #pages: HolderPages<AccessTokens, AccessToken, ListedAccessToken>;

  constructor(readModels: ReadModelStore, loader: StreamLoader, activity: TokenActivity, clock: Clock) {
    this.#pages = new HolderPages(readModels, loader, {
      model: accessTokens,
      streamOf: accessTokensStream,
      secretsOf: ({ tokens }) => tokens,
      accountOf: ({ tokenId }) => accountOfAccessToken(tokenId),
      list: (tokens) => listAccessTokens(tokens, activity, clock.now()),
    });
  }

  execute({ offset, limit, accountId }: ListAnyAccessTokensQuery): Promise<Page<AccessTokenHolder>> {
    return this.#pages.page(offset, limit, accountId);
  }
}
