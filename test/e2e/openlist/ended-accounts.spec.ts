import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newAccessToken } from '../../support/access-tokens.js';
import { createAccount, newAddress, signedInAs } from '../../support/accounts.js';
import type { ApiClient } from '../../support/api-client.js';
import { newAppPassword } from '../../support/app-passwords.js';
import { growth, readMetrics } from '../../support/metrics.js';
import { openListScene } from '../../support/openlist/scene.js';

const { app, double, api, admin } = await openListScene();
const RIGHTS = { base_path: '/', role: 0, permission: 16_383 };
/** Milliseconds. Several times as long as it takes. */
const ENDED_WITHIN = 10_000;

let next = 0;
let username: string;
let id: number;
let owner: ApiClient;
beforeEach(async () => {
  ({ username, id } = await createAccount(admin, `owner-${++next}`, { permission: 16_383 }));
  owner = await signedInAs(api, username);
});

const basic = (password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
const withAppPassword = async () => basic((await newAppPassword(owner, { protocol: 'webdav' })).password);
const withPassword = async () => basic(`pw-${username}`);
const withSession = async () => owner.token!;
const withAccessToken = async () => (await newAccessToken(owner, ['files'])).token;

const disable = () => admin.post('/api/admin/user/update', { id, username, ...RIGHTS, disabled: true });
const remove = () => admin.post(`/api/admin/user/delete?id=${id}`);
const revoke = () => admin.post(`/api/admin/user/revoke-everything?id=${id}`);
const changePassword = () => admin.post('/api/admin/user/update', { id, username, ...RIGHTS, password: 'other-pw-1' });

type Exchange = Readonly<{ sent: ClientRequest; hasEnded: () => boolean }>;

/** Begins a request that does not end by itself. */
function begin(method: string, path: string, headers: Record<string, string>): Exchange {
  const all = { ...headers, 'x-forwarded-for': newAddress() };
  const sent = request(app.baseUrl + path, { method, headers: all, agent: false });
  let hasEnded = false;
  sent.on('error', () => undefined).once('close', () => (hasEnded = true));
  return { sent, hasEnded: () => hasEnded };
}

async function download(authorization: string): Promise<Exchange> {
  const exchange = begin('GET', '/dav/endless', { authorization });
  const [response] = (await once(exchange.sent.end(), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  expect(response.statusCode).toBe(200);
  await once(response, 'data');
  return exchange;
}

async function upload(method: string, path: string, headers: Record<string, string>): Promise<Exchange> {
  const exchange = begin(method, path, headers);
  exchange.sent.write(Buffer.alloc(1 << 17));
  await vi.waitFor(
    () => expect(double.files.uploads.findLast((each) => each.path === `/${username}`)?.received).toBeGreaterThan(0),
    ENDED_WITHIN,
  );
  return exchange;
}

const davUpload = (authorization: string) => upload('PUT', `/dav/${username}`, { authorization });
const apiUpload = (authorization: string) =>
  upload('PUT', '/api/fs/put', { authorization, 'file-path': encodeURIComponent(`/${username}`) });

describe('a transfer in flight', () => {
  it.each([
    ['a WebDAV download with an app password', withAppPassword, download, 'disabled', disable],
    ['a WebDAV download with an app password', withAppPassword, download, 'deleted', remove],
    ['a WebDAV download with an app password', withAppPassword, download, 'revoked', revoke],
    ['a WebDAV download with the password', withPassword, download, 'disabled', disable],
    ['a WebDAV download with the password', withPassword, download, 'given another password', changePassword],
    ['a WebDAV upload with an app password', withAppPassword, davUpload, 'disabled', disable],
    ['a WebDAV upload with an app password', withAppPassword, davUpload, 'revoked', revoke],
    ['an upload with a session', withSession, apiUpload, 'disabled', disable],
    ['an upload with a session', withSession, apiUpload, 'revoked', revoke],
    ['an upload with an access token', withAccessToken, apiUpload, 'deleted', remove],
    ['an upload with an access token', withAccessToken, apiUpload, 'revoked', revoke],
  ])('ends ($0) once its account is $3', async (_, login, open, _change, act) => {
    const exchange = await open(await login());
    (await act()).data();
    await vi.waitFor(() => expect(exchange.hasEnded()).toBe(true), ENDED_WITHIN);
    await vi.waitFor(() => expect(double.requests.open).toBe(0), ENDED_WITHIN);
  });

  it('goes on while its account only changes', async () => {
    const ended = await download(await withAppPassword());
    const others = [await download(await withPassword()), await apiUpload(await withAccessToken())];
    (await admin.post('/api/admin/user/update', { id, username, ...RIGHTS, permission: 16_382 })).data();
    for (const { id: secret } of (await owner.get('/api/me/app_passwords')).data<{ id: number }[]>())
      (await owner.post('/api/me/app_passwords/revoke', { id: secret })).data();
    await vi.waitFor(() => expect(ended.hasEnded()).toBe(true), ENDED_WITHIN);
    expect(others.map(({ hasEnded }) => hasEnded())).toEqual([false, false]);
    for (const { sent } of others) sent.destroy();
  });

  it('is no further login and no guess, whatever happens to its account', async () => {
    const logins = [await withAppPassword(), await withPassword()];
    const before = await readMetrics(app.managementUrl);
    const [kept, ended] = [await download(logins[0]!), await download(logins[1]!)];
    (await changePassword()).data();
    await vi.waitFor(() => expect(ended.hasEnded()).toBe(true), ENDED_WITHIN);
    const counted = growth(before, await readMetrics(app.managementUrl));
    const attempts = Object.entries(counted).filter(([name]) => name.startsWith('keyfold_login_attempts_total'));
    expect(attempts).toEqual([['keyfold_login_attempts_total{factor="password",outcome="accepted"}', 2]]);
    expect(kept.hasEnded()).toBe(false);
    kept.sent.destroy();
  });
});

it('the mirror of an account may not share while the account is disabled, so OpenList serves none of its shares', async () => {
  const permission = (1 << 14) | 1;
  const mirror = () => double.users.named(username);
  const change = async (disabled: boolean) =>
    (await admin.post('/api/admin/user/update', { id, username, ...RIGHTS, permission, disabled })).data();
  for (const disabled of [false, true, false]) {
    await change(disabled);
    const expected = { disabled, permission: disabled ? 1 : permission };
    await vi.waitFor(() => expect(mirror()).toMatchObject(expected), ENDED_WITHIN);
  }
});
