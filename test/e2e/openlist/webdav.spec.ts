import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, newAddress, signedInAs } from '../../support/accounts.js';
import type { ApiClient, Answer } from '../../support/api-client.js';
import { newAppPassword } from '../../support/app-passwords.js';
import { growth, readMetrics } from '../../support/metrics.js';
import { openListScene } from '../../support/openlist/scene.js';
import { rclonePrograms } from '../../support/rclone/rclone-programs.js';
import { enrol } from '../../support/two-factor.js';

const { app, double, api, admin } = await openListScene();
const run = promisify(execFile);

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
const find = (client: ApiClient, authorization?: string): Promise<Answer> =>
  client.send({ method: 'PROPFIND', path: '/dav/', headers: { depth: '1', ...(authorization && { authorization }) } });

let id: number;
let ann: ApiClient;
const change = (fields: object) =>
  admin.post('/api/admin/user/update', { id, username: 'ann', base_path: '/', role: 0, permission: 16_383, ...fields });

beforeAll(async () => {
  ({ id } = await createAccount(admin, 'ann', { permission: 16_383 }));
  ann = await signedInAs(api, 'ann');
  double.files.write('/a.txt', 'hello');
});
beforeEach(() => double.requests.forget());

describe('a WebDAV client', () => {
  it('is asked for a login, unless it asks for the methods', async () => {
    expect(await find(api)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic realm="openlist"' } });
    expect(double.requests.forwarded).toEqual([]);
    expect((await api.send({ method: 'OPTIONS', path: '/dav/' })).headers).toHaveProperty('dav');
  });

  it('comes in with the main password or an app password for WebDAV, as the mirror', async () => {
    const { password } = await newAppPassword(ann, { protocol: 'webdav' });
    for (const each of ['pw-ann', password]) {
      expect(await find(api.from(newAddress()), basic('ann', each))).toMatchObject({ status: 207 });
      expect(double.requests.forwarded.at(-1)!.user).toMatchObject({ username: 'ann' });
      expect(double.requests.forwarded.at(-1)!.authorization).not.toBe(basic('ann', each));
    }
  });

  it('with the static token is the administrator', async () => {
    const token = (await admin.get('/api/admin/setting/get?key=token')).data<{ value: string }>().value;
    expect((await find(api, `Bearer ${token}`)).status).toBe(207);
    expect(double.requests.forwarded.at(-1)!.authorization).toBe(`Bearer ${double.staticToken}`);
  });

  it.each([
    ['a wrong password', () => basic('ann', 'wrong')],
    [
      'an app password for another protocol',
      async () => basic('ann', (await newAppPassword(ann, { protocol: 'sftp' })).password),
    ],
    ['the token of a session', () => `Bearer ${ann.token}`],
  ])('is refused here with %s', async (_, authorization) => {
    expect((await find(api.from(newAddress()), await authorization())).status).toBe(401);
    expect(double.requests.forwarded).toEqual([]);
  });

  it('without the permission gets 403, as from OpenList, and may still log in however often it tries', async () => {
    const client = api.from(newAddress());
    await createAccount(admin, 'bare', { permission: 0 });
    for (let attempt = 0; attempt < 8; attempt++)
      expect((await find(client, basic('bare', 'pw-bare'))).status).toBe(403);
    expect((await find(client, basic('bare', 'wrong'))).status).toBe(401);
    expect((await find(client, basic('guest', 'guest'))).status).toBe(403);
    expect((await client.logIn('bare', 'pw-bare')).code).toBe(200);
    expect(double.requests.forwarded).toEqual([]);
  });

  it('comes in as the guest while that is enabled, with its password here', async () => {
    const enable = (fields: object) =>
      admin.post('/api/admin/user/update', { id: 2, username: 'guest', base_path: '/', role: 1, ...fields });
    (await enable({ permission: 256, password: 'pw-guest' })).data();
    const client = api.from(newAddress());
    expect((await find(client, basic('guest', 'guest'))).status).toBe(401);
    for (let n = 0; n < 2; n++) expect((await find(client, basic('guest', 'pw-guest'))).status).toBe(207);
    expect(double.requests.forwarded.at(-1)!.user).toMatchObject({ id: double.users.guest.id });
    expect(
      (await client.send({ method: 'PUT', path: '/dav/b.txt', headers: { authorization: basic('guest', 'pw-guest') } }))
        .status,
    ).toBe(403);
    (await enable({ disabled: true })).data();
    expect((await find(client, basic('guest', 'pw-guest'))).status).toBe(403);
  });

  it('is throttled by its address, and told when to come back', async () => {
    const client = api.from(newAddress());
    for (let attempt = 0; attempt < 5; attempt++) await find(client, basic('nobody', 'wrong'));
    expect(await find(client, basic('nobody', 'wrong'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.any(String) as string },
    });
  });
});

describe('a remembered password', () => {
  it.each([
    ['may not use WebDAV', 403, (name: string) => createAccount(admin, name, { permission: 0 })],
    [
      'has two-factor',
      401,
      async (name: string) => {
        await createAccount(admin, name, { permission: 16_383 });
        await enrol(await signedInAs(api, name));
      },
    ],
  ])('of an account that %s is refused without another check', async (_, status, create) => {
    const name = `closed-${status}`;
    await create(name);
    const client = api.from(newAddress());
    const refuse = async () => expect((await find(client, basic(name, `pw-${name}`))).status).toBe(status);
    await refuse();
    const before = await readMetrics(app.managementUrl);
    for (let n = 0; n < 20; n++) await refuse();
    expect(Object.keys(growth(before, await readMetrics(app.managementUrl))).join()).not.toContain('login_attempts');
  });

  it('opens nothing for a throttled client at another address', async () => {
    expect((await find(api.from(newAddress()), basic('ann', 'pw-ann'))).status).toBe(207);
    const guesser = api.from(newAddress());
    for (let attempt = 0; attempt < 5; attempt++) await find(guesser, basic('ann', `wrong-${attempt}`));
    expect((await find(guesser, basic('ann', 'pw-ann'))).status).toBe(429);
  });

  it('opens nothing after the account was disabled or got another password', async () => {
    const client = api.from(newAddress());
    expect((await find(client, basic('ann', 'pw-ann'))).status).toBe(207);
    (await change({ disabled: true })).data();
    expect((await find(client, basic('ann', 'pw-ann'))).status).toBe(403);
    (await change({ disabled: false, password: 'other-1' })).data();
    expect((await find(client, basic('ann', 'pw-ann'))).status).toBe(401);
    expect((await find(client, basic('ann', 'other-1'))).status).toBe(207);
    (await change({ password: 'pw-ann' })).data();
  });

  it('opens nothing after the account got a second factor, but an app password does', async () => {
    await createAccount(admin, 'two', { permission: 16_383 });
    const two = await signedInAs(api, 'two');
    const client = api.from(newAddress());
    expect((await find(client, basic('two', 'pw-two'))).status).toBe(207);
    await enrol(two);
    expect(await find(client, basic('two', 'pw-two'))).toMatchObject({
      status: 401,
      outcome: '401 two-factor is on: WebDAV needs an app password',
    });
    const { password } = await newAppPassword(two, { protocol: 'webdav' });
    expect((await find(client, basic('two', password))).status).toBe(207);
  });
});

it('OpenList never sees a wrong login, whatever is renamed', async () => {
  for (const username of ['anna', 'ann']) {
    (await change({ username })).data();
    expect((await find(api.from(newAddress()), basic(username, 'pw-ann'))).status).toBe(207);
  }
  expect(double.tokens.wrongLogins).toBe(0);
});

it('a client whose address OpenList has locked is served, after a large upload got 503 and a time to come back', async () => {
  const client = api.from(newAddress());
  const headers = { authorization: basic('ann', 'pw-ann') };
  const put = () => client.send({ method: 'PUT', path: '/dav/big', headers, body: Buffer.alloc(1 << 17) });
  expect((await put()).status).toBe(201);
  const { 'x-forwarded-for': address } = double.requests.forwarded.at(-1)!.headers;
  for (let attempt = 0; attempt < 5; attempt++) double.tokens.passwordUser(String(address), 'ann', 'wrong');
  expect(await put()).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect((await put()).status).toBe(201);
  expect((await find(client, basic('ann', 'pw-ann'))).status).toBe(207);
});

it('an upload with a password that OpenList refuses mends it for the next request', async () => {
  await find(api.from(newAddress()), basic('ann', 'pw-ann'));
  const user = double.requests.forwarded.at(-1)!.user!;
  await fetch(`${double.url}/api/admin/user/update`, {
    method: 'POST',
    headers: { authorization: double.staticToken },
    body: JSON.stringify({ ...user, password: 'changed in OpenList' }),
  });
  const headers = { authorization: basic('ann', 'pw-ann') };
  const put = () =>
    api.from(newAddress()).send({ method: 'PUT', path: '/dav/big', headers, body: Buffer.alloc(1 << 17) });
  expect((await put()).status).toBe(503);
  expect((await put()).status).toBe(201);
});

it('rclone lists, uploads and downloads', async () => {
  const { stdout: pass } = await run(rclonePrograms.current, ['obscure', 'pw-ann']);
  const remote = `:webdav,url="${app.baseUrl}/dav",vendor=other,user=ann,pass="${pass.trim()}":`;
  const rclone = async (...args: string[]) => (await run(rclonePrograms.current, args)).stdout;
  expect(await rclone('lsf', remote)).toContain('a.txt');
  await rclone('copyto', import.meta.filename, `${remote}new.ts`);
  expect(await rclone('cat', `${remote}new.ts`)).toContain('rclone lists');
});
