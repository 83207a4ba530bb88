import { expect, it } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const ASKS = { 'x-device-token': '' };

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
for (const name of ['ann', 'bea']) await createAccount(admin, name);

const logIn = (from: string, headers: Record<string, string>, password = 'pw-ann', username = 'ann') =>
  api.from(from).with(headers).post('/api/auth/login', { username, password });
const tokenOf = (answer: Answer) => answer.data<{ device_token?: string }>().device_token;
const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0]!;
/** Uses up the attempts of a source, like a stranger. */
async function exhaustTries(from: string) {
  for (let n = 0; n < 5; n++) await logIn(from, {}, 'wrong');
  expect((await logIn(from, {})).code).toBe(429);
}

it('is returned to clients that send the header, and omitted from other answers', async () => {
  expect(tokenOf(await logIn('198.51.1.1', ASKS))).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(Object.keys((await logIn('198.51.1.1', {})).data<object>())).toEqual(['token']);
});

it.each(['header', 'cookie'])('lets its device in as a %s after strangers have used up all attempts', async (way) => {
  const first = await logIn('198.51.2.1', ASKS);
  const shown: Record<string, string> =
    way === 'header' ? { 'x-device-token': tokenOf(first)! } : { cookie: `a=b; ${cookieOf(first)}` };
  const besieged = way === 'header' ? '198.51.3.1' : '198.51.4.1';
  await exhaustTries(besieged);
  expect((await logIn(besieged, shown)).code).toBe(200);
  expect((await logIn(besieged, shown, 'wrong')).code).toBe(401);
});

it('is a cookie that only logins of this site receive', async () => {
  const { headers } = await logIn('198.51.5.1', {});
  expect(String(headers['set-cookie'])).toMatch(
    /^keyfold_device=[\w.-]+; Path=\/api\/auth\/login; Max-Age=7776000; HttpOnly; SameSite=Strict$/,
  );
  expect((await logIn('198.51.5.1', {}, 'wrong')).headers).not.toHaveProperty('set-cookie');
});

it('grants no access, and is useless for another account', async () => {
  const token = tokenOf(await logIn('198.51.6.1', ASKS))!;
  const me = await api.as(token).get('/api/me');
  expect(me.code).toBe(401);
  await exhaustTries('198.51.6.2');
  for (let n = 0; n < 5; n++) await logIn('198.51.6.2', {}, 'wrong', 'bea');
  expect((await logIn('198.51.6.2', { 'x-device-token': token }, 'pw-bea', 'bea')).code).toBe(429);
});
