import { describe, expect, it } from 'vitest';
import { adminOf, createAccount, newAddress } from '../support/accounts.js';
import { type Answer, ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
for (const name of ['ann', 'bea', 'killed', 'steady']) await createAccount(admin, name);

/** Uses up the attempts of a source, like a stranger. */
async function exhaustTries(from: string, name = 'ann') {
  for (let n = 0; n < 5; n++) await api.from(from).logIn(name, 'wrong');
  const { outcome, headers } = await api.from(from).logIn(name, `pw-${name}`);
  expect(outcome).toMatch(/^429 Too many unsuccessful sign-in attempts have been made/);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(300);
}

it.each(['stop', 'kill'] as const)(
  'a refused source stays refused after a %s of the process, and no other is',
  async (end) => {
    const source = `198.51.100.${60 + end.charCodeAt(0)}`;
    await exhaustTries(source, 'killed');
    await app[end]();
    await app.restart();
    expect((await api.from(source).logIn('killed', 'pw-killed')).code).toBe(429);
    expect((await api.from(source).logIn('steady', 'pw-steady')).code).toBe(200);
    expect((await api.from(newAddress()).logIn('killed', 'pw-killed')).code).toBe(200);
  },
);

// More than the 50 wrong attempts of one source.
it('60 parallel correct passwords all succeed', async () => {
  const source = api.from('198.51.100.30');
  const answers = await Promise.all(Array.from({ length: 60 }, () => source.logIn('steady', 'pw-steady')));
  expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => '200 success'));
});

const ASKS = { 'x-device-token': '' };

const logIn = (from: string, headers: Record<string, string>, password = 'pw-ann', username = 'ann') =>
  api.from(from).with(headers).post('/api/auth/login', { username, password });
const tokenOf = (answer: Answer) => answer.data<{ device_token?: string }>().device_token;
const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0]!;

describe('a device token', () => {
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
});
