import { isTokenExpired, type AccessToken } from '@keyfold/domain';
import type { TokenActivity } from '../caller/token-activity.js';

/** An access token as lists show it, without the hash of its secret. `lastUsedAt` is in unix seconds, possibly some minutes too early. */
export type ListedAccessToken = Readonly<
  Omit<AccessToken, 'hash'> & { lastUsedAt: number | undefined; isExpired: boolean }
>;

/** Returns the list entries of access tokens. `now` is in unix milliseconds. */
export async function listAccessTokens(
  tokens: readonly AccessToken[],
  activity: TokenActivity,
  now: number,
): Promise<ListedAccessToken[]> {
  const lastUses = await activity.lastUsesOfAccessTokens(tokens);
  return tokens.map(({ hash: _hash, ...token }, index) => ({
    ...token,
    lastUsedAt: lastUses[index],
    isExpired: isTokenExpired(token, now),
  }));
}
