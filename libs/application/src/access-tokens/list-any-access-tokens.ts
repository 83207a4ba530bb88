import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfAccessToken, bytesOf, type AccessToken, type AccessTokens, type Account } from '@keyfold/domain';
import {
  accessTokens,
  accessTokensStream,
  accountStream,
  ReadModelStore,
  StreamLoader,
  type Page,
} from '@keyfold/projections';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { listAccessTokens, type ListedAccessToken } from './listed-access-token.js';

/** The access tokens of one account. */
export type AccessTokenHolder = Readonly<{
  accountId: number;
  username: string;
  tokens: readonly ListedAccessToken[];
}>;

/** Maximum size of a page, in bytes of the answer. Each token counts with its name and with `ENTRY_BYTES` for everything else. */
const PAGE_BYTES = 2 * 1024 * 1024;
const ENTRY_BYTES = 400;
/** Maximum number of accounts on a page. */
const PAGE_ACCOUNTS = 1_000;

/**
 * Lists the accounts that have access tokens, in order of their ids, with these tokens. A page ends early if it is full, but has at least
 * one account. `total` also counts deleted accounts that had tokens, which are left out. With `accountId`, lists only this account.
 */
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
  constructor(
    private readonly readModels: ReadModelStore,
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute({ offset, limit, accountId }: ListAnyAccessTokensQuery): Promise<Page<AccessTokenHolder>> {
    if (accountId !== undefined) return this.#pageOf(accountId, offset, limit);
    let bytes = 0;
    const { items, total } = await this.readModels.list(
      accessTokens,
      offset,
      Math.min(limit, PAGE_ACCOUNTS),
      ({ tokens }) => {
        const isFirst = bytes === 0;
        bytes += tokens.reduce((sum, { name }) => sum + ENTRY_BYTES + bytesOf(name), ENTRY_BYTES);
        return isFirst || bytes <= PAGE_BYTES;
      },
    );
    const ids = items.map(({ tokens }) => accountOfAccessToken(tokens[0]!.tokenId));
    const accounts = await this.loader.load(...ids.map(accountStream));
    return { items: await this.#holders(accounts.map(({ state }, index) => [state, items[index]!])), total };
  }

  async #pageOf(accountId: number, offset: number, limit: number): Promise<Page<AccessTokenHolder>> {
    const [account, owned] = await this.loader.load(accountStream(accountId), accessTokensStream(accountId));
    const holders = owned.state.tokens.length === 0 ? [] : await this.#holders([[account.state, owned.state]]);
    return { items: holders.slice(offset, offset + limit), total: holders.length };
  }

  async #holders(owners: readonly (readonly [Account, AccessTokens])[]): Promise<AccessTokenHolder[]> {
    const active = owners.filter(([{ status }]) => status === 'active');
    const all: AccessToken[] = active.flatMap(([, { tokens }]) => tokens);
    const listed = await listAccessTokens(all, this.activity, this.clock.now());
    const byAccount = Map.groupBy(listed, ({ tokenId }) => accountOfAccessToken(tokenId));
    return active.map(([{ accountId, username }]) => ({
      accountId,
      username,
      tokens: byAccount.get(accountId) ?? [],
    }));
  }
}
