import type { ApiClient } from '../api-client.js';

/** Creates an access token with which file servers look up keys. */
export async function lookUpToken(admin: ApiClient, name = 'file servers'): Promise<string> {
  const answer = await admin.post('/api/me/tokens', { name, scopes: ['keys:look-up'] });
  return answer.data<{ token: string }>().token;
}
