import { newAccessToken } from './access-tokens.js';
import { newAddress } from './accounts.js';
import type { ApiClient } from './api-client.js';
import { newAppPassword } from './app-passwords.js';
import { newKeyLine } from './key-line.js';
import type { SecretSearch } from './secret-search.js';
import { storedEvents } from './stored-data.js';

/** Creates an access token of a member named `secretive`, uses and revokes it, and adds everything secret about it to `secrets`. */
export async function useAccessToken(
  api: ApiClient,
  member: ApiClient,
  secrets: SecretSearch,
  dataDir: string,
): Promise<void> {
  const { id, token, client } = await newAccessToken(member, ['profile:read', 'keys:manage']);
  secrets.add('access token', token);
  secrets.add('secret of the access token', token.slice(12, 39));
  secrets.add('hash of the access token', hashIn(dataDir, 'AccessTokenCreated'));
  (await client.get('/api/me')).data();
  const key = { title: 'by a program', key: newKeyLine().line };
  (await client.post('/api/me/sshkey/add', key)).data();
  await client.post('/api/me/sshkey/add', key);
  (await member.post('/api/me/tokens/revoke', { id })).data();
  for (const header of [token, `Bearer ${token}`]) await api.as(header).get('/api/me');
}

/** Does the same with an app password, which it tries where none is accepted. */
export async function useAppPassword(
  api: ApiClient,
  member: ApiClient,
  secrets: SecretSearch,
  dataDir: string,
): Promise<void> {
  const { id, password } = await newAppPassword(member);
  secrets.add('app password', password);
  secrets.add('app password without dashes', password.replaceAll('-', ''));
  secrets.add('app password in capitals', password.replaceAll('-', '').toUpperCase());
  secrets.add('hash of the app password', hashIn(dataDir, 'AppPasswordCreated'));
  await api.from(newAddress()).logIn('secretive', password);
  await api.as(password).get('/api/me');
  (await member.post('/api/me/app_passwords/revoke', { id })).data();
}

const hashIn = (dataDir: string, type: string) => String(storedEvents(dataDir, type)[0]!.data['hash']);
