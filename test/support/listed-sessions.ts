import type { ApiClient } from './api-client.js';

/** A session as `GET /api/me/sessions` shows it. */
export type ListedSession = Readonly<{
  session_id: string;
  user_id: number;
  username?: string;
  last_active: number;
  status: number;
  ua: string;
  ip: string;
  started: number;
  expires: number;
  current: boolean;
  factors: readonly string[];
}>;

/** Returns the sessions of the client's account, the latest first. */
export const sessionsOf = async (client: ApiClient) => (await client.get('/api/me/sessions')).data<ListedSession[]>();

/** Returns the id of the client's session, which its token contains. */
export function sessionIdOf({ token }: ApiClient): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string };
  return claims.jti;
}

/** Ends one session as its owner. */
export const evict = (client: ApiClient, session_id: string) => client.post('/api/me/sessions/evict', { session_id });
/** Ends all other sessions of the client's account. */
export const evictOthers = (client: ApiClient) => client.post('/api/me/sessions/evict', { others: true });
