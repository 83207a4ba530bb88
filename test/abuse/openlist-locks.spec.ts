import { beforeEach, describe, expect, it } from 'vitest';
import { createAccount, signedInAs } from '../support/accounts.js';
import type { ApiClient } from '../support/api-client.js';
import { metricsWhen } from '../support/metrics.js';
import { openListScene } from '../support/openlist/scene.js';
import { times } from './repeated.js';

/** The permission bits of offline download and WebDAV. */
const OFFLINE_DOWNLOAD = 1 << 2;
const WEBDAV = 3 << 8;
/** Wrong logins after which OpenList locks an address. */
const LOCK = 5;

const { app, double, api, admin } = await openListScene();
const basic = (username: string) => `Basic ${Buffer.from(`${username}:pw-${username}`).toString('base64')}`;
const list = (client: ApiClient) => client.post('/api/fs/list', { path: '/' });
const browse = (client: ApiClient, authorization: string) =>
  client.send({ method: 'PROPFIND', path: '/dav/', headers: { depth: '0', authorization } });
const readiness = async () => (await fetch(`${app.managementUrl}/health/ready`)).text();

let next = 0;
/** Returns an account of which neither side has a token. */
async function newcomer(permission = 0): Promise<ApiClient> {
  const { username } = await createAccount(admin, `member-${++next}`, { permission });
  return signedInAs(api, username);
}

/** Makes a wrong login at OpenList's own port. */
const guess = () => fetch(`${double.url}/dav/`, { headers: { authorization: basic('nobody') } });

beforeEach(() => double.tokens.forgetAll());

describe('while OpenList has locked the address of Keyfold', () => {
  it.each([
    [
      'offline downloads of an account',
      async () => {
        const attacker = await newcomer(OFFLINE_DOWNLOAD);
        const urls = times(LOCK).map((n) => `http://a:b${n}@127.0.0.1:${double.port}/dav/`);
        (await attacker.post('/api/fs/add_offline_download', { path: '/', urls, tool: 'SimpleHttp' })).data();
      },
    ],
    ["seven logins at OpenList's own port", () => Promise.all(times(7).map(guess))],
  ])('because of %s, accounts without a token are served', async (_, attack) => {
    await attack();
    expect((await guess()).status).toBe(429);
    expect((await list(await newcomer())).code).toBe(200);
  });

  it('a WebDAV client from the same address is served', async () => {
    const { username } = (await (await newcomer(WEBDAV)).get('/api/me')).data<{ username: string }>();
    await Promise.all(times(LOCK).map(guess));
    const answers = await Promise.all(times(4).map(() => browse(api, basic(username))));
    expect(answers.map(({ status }) => status)).toEqual(times(4).map(() => 207));
  });
});

it('a mirror whose login OpenList has locked is reported, and locks no other', async () => {
  const locked = await newcomer();
  const other = await newcomer();
  (await list(locked)).data();
  const login = double.requests.received.findLast(({ url }) => url === '/api/auth/login')!;
  const address = login.headers['x-forwarded-for']!.toString();
  double.tokens.forgetAll();
  for (const n of times(LOCK)) double.tokens.passwordUser(address, 'member', `wrong ${n}`);

  expect(await list(locked)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect((await list(other)).code).toBe(200);
  // A check that ran shortly before the lock is reused for a second.
  await expect.poll(readiness, { timeout: 10_000 }).toContain('"openlist":"ok, but OpenList refuses logins');
  await metricsWhen(
    app.managementUrl,
    (series) => series.get('keyfold_openlist_requests_total{outcome="locked"}') === 1,
  );
  expect(app.output()).toContain('OpenList refuses logins from an address after failed ones');
});
