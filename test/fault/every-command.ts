import { accountNamed, ADMIN_PASSWORD, adminOf, newAddress } from '../support/accounts.js';
import type { Answer, ApiClient } from '../support/api-client.js';
import { keyLine } from '../support/key-line.js';
import { codeNow } from '../support/two-factor.js';

/** How a command was answered, and how long that took in milliseconds. */
export type Carried = Readonly<{ command: string; outcome: string; took: number }>;

let accounts = 0;

/** A life of a new account through the API, with each kind of command once; `api` trusts the address that it names. */
export async function everyCommand(api: ApiClient): Promise<Carried[]> {
  const carried: Carried[] = [];
  const carry = async (command: string, send: () => Promise<Answer>): Promise<Answer> => {
    const began = performance.now();
    const answer = await send();
    carried.push({ command, outcome: answer.outcome, took: performance.now() - began });
    return answer;
  };
  const logIn = async (name: string, password: string, code?: string) => {
    const from = api.from(newAddress());
    const { token } = (await carry('login', () => from.logIn(name, password, code))).data<{ token: string }>();
    return from.as(token);
  };

  const username = `life-${++accounts}`;
  const admin = accounts === 1 ? await adminOf(api) : await logIn('admin', ADMIN_PASSWORD);
  await carry('create', () => admin.post('/api/admin/user/create', { username, password: 'first', role: 0 }));
  const { id } = await accountNamed(admin, username);
  const update = { id, username, role: 0, permission: 0, base_path: '/' };
  const change = (command: string, fields: object) =>
    carry(command, () => admin.post('/api/admin/user/update', { ...update, ...fields }));

  const member = await logIn(username, 'first');
  await carry('add a key', () => member.post('/api/me/sshkey/add', { title: 'laptop', key: keyLine(username).line }));
  const keys = (await member.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>().content;
  await carry('delete a key', () => member.post(`/api/me/sshkey/delete?id=${keys[0]?.id}`));
  const { secret } = (await carry('begin two-factor', () => member.post('/api/auth/2fa/generate'))).data<{
    secret: string;
  }>();
  await carry('turn two-factor on', () => member.post('/api/auth/2fa/verify', { code: codeNow(secret), secret }));
  await carry('turn two-factor off', () => admin.post(`/api/admin/user/cancel_2fa?id=${id}`));
  await carry('logout', () => member.get('/api/auth/logout'));
  await change('new rights and base path', { permission: 256, base_path: '/team' });
  await change('rename', { username: `${username}-renamed` });
  await change('new password', { username: `${username}-renamed`, password: 'second' });
  await logIn(`${username}-renamed`, 'second');
  await change('disable', { username: `${username}-renamed`, disabled: true });
  await change('enable', { username: `${username}-renamed` });
  await carry('delete', () => admin.post(`/api/admin/user/delete?id=${id}`));
  return carried;
}
