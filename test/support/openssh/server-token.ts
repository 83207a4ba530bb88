import type { ApiClient } from '../api-client.js';

/** Creates an access token with which file servers look up keys. */
export const lookUpToken = (admin: ApiClient, name = 'file servers'): Promise<string> =>
  serverToken(admin, name, 'keys:look-up');

/** Creates an access token with which file servers check logins. */
export const loginToken = (admin: ApiClient, name = 'logins'): Promise<string> =>
  serverToken(admin, name, 'logins:verify');

async function serverToken(admin: ApiClient, name: string, scope: string): Promise<string> {
  const answer = await admin.post('/api/me/tokens', { name, scopes: [scope] });
  return answer.data<{ token: string }>().token;
}
