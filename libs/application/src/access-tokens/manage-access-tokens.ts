import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfSecret, type AccessToken, type AccessTokens } from '@keyfold/domain';
import { accessTokens, accessTokensStream, ReadModelStore, StreamLoader, type Page } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import { HolderPages, type SecretHolder } from '../named-secrets/secret-lists.js';
import type { Origin } from '../origin.js';
import { listAccessTokens, type ListedAccessToken } from './own-access-tokens.js';

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
      secretsOf: ({ secrets }) => secrets,
      accountOf: ({ id }) => accountOfSecret(id),
      list: (tokens) => listAccessTokens(tokens, activity, clock.now()),
    });
  }

  execute({ offset, limit, accountId }: ListAnyAccessTokensQuery): Promise<Page<AccessTokenHolder>> {
    return this.#pages.page(offset, limit, accountId);
  }
}

export class RevokeAnyAccessTokenCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly tokenId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `access-token-not-found`. */
@CommandHandler(RevokeAnyAccessTokenCommand)
export class RevokeAnyAccessTokenHandler implements ICommandHandler<RevokeAnyAccessTokenCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, tokenId, origin }: RevokeAnyAccessTokenCommand): Promise<void> {
    const ref = accessTokensStream(accountOfSecret(tokenId));
    await this.runner.run(ref, { type: 'RevokeAccessToken', id: tokenId }, { actor: actorOf(caller), ...origin });
  }
}
