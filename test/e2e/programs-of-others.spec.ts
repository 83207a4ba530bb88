import { expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { oathtoolCode } from '../support/oathtool.js';
import { generateKey } from '../support/ssh-keygen.js';
import { sharedApp } from '../support/shared-app.js';

interface ListedKey {
  title: string;
  fingerprint: string;
  added_time: string;
  last_used_time: string;
}

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

it('a key of ssh-keygen is listed with the fingerprint that ssh-keygen prints', async () => {
  const { line, fingerprint } = generateKey('ed25519', 256, 'me@my laptop');
  const member = await newMember(admin, 'keeper');
  const added = await member.post('/api/me/sshkey/add', { title: 'laptop', key: ` ${line}\n` });
  expect(added.outcome).toBe('200 success');
  const [listed] = (await member.get('/api/me/sshkey/list')).data<{ content: ListedKey[] }>().content;
  expect(listed).toMatchObject({ title: 'laptop', fingerprint });
  expect(listed?.last_used_time).toBe(listed?.added_time);
  expect(Math.abs(Date.parse(listed?.added_time ?? '') - Date.now())).toBeLessThan(60_000);
});

it('codes of oathtool complete an enrolment and a login', async () => {
  const member = await newMember(admin, 'ann');
  const { secret } = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>();
  const now = Math.floor(Date.now() / 1000);
  const proof = { code: oathtoolCode(secret, now - 30), secret };
  expect((await member.post('/api/auth/2fa/verify', proof)).outcome).toBe('200 success');
  const login = await new ApiClient(app.baseUrl).logIn('ann', 'pw-ann', oathtoolCode(secret, now));
  expect(login.code).toBe(200);
});
