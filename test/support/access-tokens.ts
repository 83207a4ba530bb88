import type { ApiClient } from './api-client.js';

/** An access token as lists show it. */
export type ShownToken = Readonly<{
  id: number;
  name: string;
  scopes: string[];
  created: string;
  expires: string | null;
  last_used: string | null;
  expired: boolean;
}>;

/** A new access token, and a client that uses it. */
export type NewToken = ShownToken & Readonly<{ token: string; client: ApiClient }>;

let names = 0;

/** Creates an access token, by default with a new name and without an expiry. */
export async function newAccessToken(
  owner: ApiClient,
  scopes: readonly string[],
  fields: Readonly<{ name?: string; expires?: string | null }> = {},
): Promise<NewToken> {
  const body = { name: `token ${++names}`, scopes, expires: null, ...fields };
  const shown = (await owner.post('/api/me/tokens', body)).data<ShownToken & { token: string }>();
  return { ...shown, client: owner.as(shown.token) };
}

/** Returns the caller's access tokens. */
export const tokensOf = async (owner: ApiClient): Promise<ShownToken[]> =>
  (await owner.get('/api/me/tokens')).data<ShownToken[]>();
