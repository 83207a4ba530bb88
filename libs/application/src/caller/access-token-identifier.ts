import {
  accountOfSecret,
  DomainError,
  isSecretExpired,
  type AccessToken,
  type AccessTokens,
  type Account,
  type SshKeyRing,
  type SshKeyUse,
} from '@keyfold/domain';
import {
  accessTokensStream,
  accountStream,
  sshKeyRingStream,
  sshKeyUseStream,
  StreamLoader,
  type Loaded,
  type StreamRef,
} from '@keyfold/projections';
import { isSameSecretHash, readAccessToken, type AccessTokenText } from '@keyfold/security';
import type { Clock } from '../commands/clock.js';
import type { Caller, CallerPart } from './caller.js';
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

  #callerOf(read: AccessTokenText, [account, owned, ring, use]: LoadedToken): Caller {
    const token = owned.state.secrets.find(({ id }) => id === read.tokenId);
    if (!token || !isSameSecretHash(token.hash, read.hash)) throw new DomainError('token-invalidated');
    requireUsable(token, account.state, this.clock.now());
    this.activity.usedSecret('access-token', token);
    const keys = ring && use ? { ring: ring.state, use: use.state } : undefined;
    return { account: account.state, keys, by: 'access-token', accessToken: token };
  }
}

type LoadedToken = readonly [Loaded<Account>, Loaded<AccessTokens>, Loaded<SshKeyRing>?, Loaded<SshKeyUse>?];
type TokenRefs = readonly [
  StreamRef<Account>,
  StreamRef<AccessTokens>,
  ...([StreamRef<SshKeyRing>, StreamRef<SshKeyUse>] | []),
];

/** Returns all streams that a request with this token needs, so that one round trip loads them. */
function refsOf({ tokenId }: AccessTokenText, part: CallerPart): TokenRefs {
  const accountId = accountOfSecret(tokenId);
  const [account, owned] = [accountStream(accountId), accessTokensStream(accountId)];
  return part === 'account'
    ? [account, owned]
    : [account, owned, sshKeyRingStream(accountId), sshKeyUseStream(accountId)];
}

function requireUsable(token: AccessToken, account: Account, now: number): void {
  if (isSecretExpired(token, now)) throw new DomainError('token-expired');
  if (account.status !== 'active') throw new DomainError('account-not-found-for-token');
  if (account.disabled) throw new DomainError('account-disabled');
}
