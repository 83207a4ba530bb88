import type { AccessToken } from '@keyfold/domain';
import type { TokenActivity } from '../caller/token-activity.js';
import { listedSecret, type ListedSecret } from '../named-secrets/listed-secret.js';

/** An access token as lists show it. */
export type ListedAccessToken = ListedSecret<AccessToken>;

/** Returns the list entries of access tokens. `now` is in unix milliseconds. */
export async function listAccessTokens(
  tokens: readonly AccessToken[],
  activity: TokenActivity,
  now: number,
): Promise<ListedAccessToken[]> {
  const lastUses = await activity.lastUsesOfAccessTokens(tokens);
  return tokens.map((token, index) => listedSecret(token, lastUses[index], now));
}
