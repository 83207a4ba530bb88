import { accountNamed, ADMIN_PASSWORD, adminOf, newAddress } from '../support/accounts.js';
import type { Answer, ApiClient } from '../support/api-client.js';
import { keyLine } from '../support/key-line.js';
import { codeNow } from '../support/two-factor.js';

/** A command, its answer and its duration in milliseconds. */
export type CommandResult = Readonly<{ command: string; outcome: string; took: number }>;

let accounts = 0;

/** Runs every kind of command once on a new account; `api` must trust the addresses that it sends. */
export async function everyCommand(api: ApiClient): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  const send = async (command: string, request: () => Promise<Answer>): Promise<Answer> => {
    const began = performance.now();
    const answer = await request();
    results.push({ command, outcome: answer.outcome, took: performance.now() - began });
    return answer;
  };
  const logIn = async (name: string, password: string, code?: string) => {
    const from = api.from(newAddress());
    const { token } = (await send('login', () => from.logIn(name, password, code))).data<{ token: string }>();
    return from.as(token);
  };

  const username = `life-${++accounts}`;
  const admin = accounts === 1 ? await adminOf(api) : await logIn('admin', ADMIN_PASSWORD);
  await send('create', () => admin.post('/api/admin/user/create', { username, password: 'first', role: 0 }));
  const { id } = await accountNamed(admin, username);
  const update = { id, username, role: 0, permission: 0, base_path: '/' };
  const change = (command: string, fields: object) =>
    send(command, () => admin.post('/api/admin/user/update', { ...update, ...fields }));

  const member = await logIn(username, 'first');
  await send('add a key', () => member.post('/api/me/sshkey/add', { title: 'laptop', key: keyLine(username).line }));
  const keys = (await member.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>().content;
  await send('delete a key', () => member.post(`/api/me/sshkey/delete?id=${keys[0]?.id}`));
  const created = await send('create an access token', () =>
    member.post('/api/me/tokens', { name: 'backup', scopes: ['profile:read'] }),
  );
  const { id: tokenId } = created.data<{ id: number }>();
  await send('revoke an access token', () => member.post('/api/me/tokens/revoke', { id: tokenId }));
  const appPassword = await send('create an app password', () =>
    member.post('/api/me/app_passwords', { name: 'phone', protocol: 'webdav' }),
  );
  const { id: appPasswordId } = appPassword.data<{ id: number }>();
  await send('revoke an app password', () => member.post('/api/me/app_passwords/revoke', { id: appPasswordId }));
  const { secret } = (await send('start two-factor enrolment', () => member.post('/api/auth/2fa/generate'))).data<{
    secret: string;
  }>();
  await send('enable two-factor', () => member.post('/api/auth/2fa/verify', { code: codeNow(secret), secret }));
  await send('disable two-factor', () => admin.post(`/api/admin/user/cancel_2fa?id=${id}`));
  await send('logout', () => member.get('/api/auth/logout'));
  await change('new rights and base path', { permission: 256, base_path: '/team' });
  await change('rename', { username: `${username}-renamed` });
  await change('new password', { username: `${username}-renamed`, password: 'second' });
  await logIn(`${username}-renamed`, 'second');
  await change('disable', { username: `${username}-renamed`, disabled: true });
  await change('enable', { username: `${username}-renamed` });
  await send('delete', () => admin.post(`/api/admin/user/delete?id=${id}`));
  return results;
}
