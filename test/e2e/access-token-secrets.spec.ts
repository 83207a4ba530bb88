import { expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { storedCommits } from '../support/stored-data.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

it('the log and the metrics contain no access token, not even a refused one', async () => {
  const { token } = await newAccessToken(await newMember(admin, 'logged'), ['profile:read']);
  const unknown = `kf_${'0'.repeat(42)}`;
  for (const each of [token, `Bearer ${token}`, unknown]) await api.as(each).get('/api/admin/user/list');
  await api.as(token).post('/api/me/sshkey/add', { title: token, key: token });
  expect(app.output()).toContain('authn_token_created:');
  expect(app.output()).toContain('authn_token_fail:access');
  for (const secret of [token.slice(12), unknown]) expect(app.output()).not.toContain(secret);
  expect(await (await fetch(`${app.managementUrl}/metrics`)).text()).not.toContain('kf_');
});

it('the stored events contain the hash of the secret and never the token', async () => {
  const member = await signedInAs(api, 'logged');
  const { token } = await newAccessToken(member, ['profile:read']);
  const stored = JSON.stringify(storedCommits(app.dataDir));
  expect(stored).not.toContain(token.slice(12, 39));
});
