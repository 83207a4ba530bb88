import {
  accountOfSecret,
  DomainError,
  isSecretExpired,
  type AccessToken,
  type AccessTokens,
  type Account,
} from '@keyfold/domain';
import { accessTokensStream, accountStream, StreamLoader, type Loaded } from '@keyfold/projections';
import { isSameSecretHash, readAccessToken, type AccessTokenText } from '@keyfold/security';
import type { Clock } from '../commands/clock.js';
import type { Caller, CallerPart } from './caller.js';
import { callerStreams, loadedPart, type LoadedCaller } from './caller-streams.js';
import type { TokenActivity } from './token-activity.js';

export class AccessTokenIdentifier {
  constructor(
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
    private readonly activity: TokenActivity,
  ) {}

  /**
   * Returns the account of the token. Loads everything in one round trip, and nothing for a text with a wrong checksum.
   *
   * @throws DomainError with the reason why the token is refused.
   */
  async identify(text: string, part: CallerPart): Promise<Caller> {
    const read = readAccessToken(text);
    if (!read) throw new DomainError('token-invalidated');
    return this.#callerOf(read, await this.loader.load(...refsOf(read, part)));
  }

  /**
   * Like `identify`, but synchronous. Returns undefined unless all streams of the token are cached and known to be current, and if the
   * token is refused.
   */
  identifyCached(text: string, part: CallerPart): Caller | undefined {
    const read = readAccessToken(text);
    const loaded = read && this.loader.loadNow(...refsOf(read, part));
    try {
      return loaded && this.#callerOf(read, loaded);
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  /** Returns whether an identified token still gives access, whatever its expiry. Counts no use. */
  async hasAccess({ id }: AccessToken): Promise<boolean> {
    const accountId = accountOfSecret(id);
    const refs = [accessTokensStream(accountId), accountStream(accountId)] as const;
    const [{ state: tokens }, { state: account }] = await this.loader.load(...refs);
    return tokens.secrets.some((token) => token.id === id) && account.status === 'active' && !account.disabled;
  }

  #callerOf(read: AccessTokenText, [owned, ...loaded]: LoadedToken): Caller {
    const token = owned.state.secrets.find(({ id }) => id === read.tokenId);
    if (!token || !isSameSecretHash(token.hash, read.hash)) throw new DomainError('token-invalidated');
    requireUsable(token, loaded[0].state, this.clock.now());
    this.activity.usedSecret('access-token', token);
    return { ...loadedPart(loaded), by: 'access-token', accessToken: token };
  }
}

type LoadedToken = readonly [Loaded<AccessTokens>, ...LoadedCaller];

/** Returns all streams that a request with this token needs, so that one round trip loads them. */
function refsOf({ tokenId }: AccessTokenText, part: CallerPart) {
  const accountId = accountOfSecret(tokenId);
  return [accessTokensStream(accountId), ...callerStreams(accountId, part)] as const;
}

function requireUsable(token: AccessToken, account: Account, now: number): void {
  if (isSecretExpired(token, now)) throw new DomainError('token-expired');
  if (account.status !== 'active') throw new DomainError('account-not-found-for-token');
  if (account.disabled) throw new DomainError('account-disabled');
}
