import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, newMember } from '../../support/accounts.js';
import { newAccessToken } from '../../support/access-tokens.js';
import type { ApiClient } from '../../support/api-client.js';
import { openListScene } from '../../support/openlist/scene.js';

const { double, api, admin } = await openListScene();

const listing = { path: '/', password: '', page: 1, per_page: 0, refresh: false };
const list = (client: ApiClient, path = '/') => client.post('/api/fs/list', { ...listing, path });
/** The last request that OpenList received. */
const last = () => double.requests.forwarded.at(-1)!;

let ann: ApiClient;
beforeAll(async () => {
  ann = await newMember(admin, 'ann');
});
beforeEach(() => double.requests.forget());

describe('a forwarded request', () => {
  it('of an account speaks for its mirror, which has the same name and rights', async () => {
    const account = await createAccount(admin, 'bob', { base_path: '/bob', permission: 8, password: 'pw-bob' });
    const bob = await api.signedIn('bob', 'pw-bob');
    expect((await list(bob)).code).not.toBe(401);
    expect(last().user).toMatchObject({ username: 'bob', base_path: '/bob', permission: 8, disabled: false });
    expect(last().authorization).not.toContain(bob.token);
    expect(account.id).toBeGreaterThan(0);
  });

  it('of an administrator has the static token of OpenList', async () => {
    expect((await admin.get('/api/admin/storage/list')).outcome).toBe('200 success');
    expect(last().authorization).toBe(double.staticToken);
  });

  it('of a general account to an administrative route is refused by OpenList', async () => {
    expect((await ann.get('/api/admin/storage/list')).outcome).toBe('403 You are not an admin');
  });

  it('has rights that were changed just before', async () => {
    const { id } = await createAccount(admin, 'cat', { permission: 0, password: 'pw-cat' });
    const cat = await api.signedIn('cat', 'pw-cat');
    await list(cat);
    const change = { id, username: 'cat', base_path: '/new', role: 0, permission: 255, disabled: false };
    (await admin.post('/api/admin/user/update', change)).data();
    await list(cat);
    expect(last().user).toMatchObject({ base_path: '/new', permission: 255 });
  });

  it('keeps Host and query, and has the address of the client', async () => {
    await ann
      .from('203.0.113.7')
      .with({ host: 'files.example', 'x-real-ip': '203.0.113.7' })
      .get('/api/task/upload/done?a=%20b');
    expect(last()).toMatchObject({ method: 'GET', url: '/api/task/upload/done?a=%20b' });
    expect(last().headers).toMatchObject({ host: 'files.example', 'x-forwarded-for': '203.0.113.7' });
    expect(last().headers['x-real-ip']).toBeUndefined();
  });
});

it.each(['/p/a?sign=x', '/%70/a?sign=x', '/%64%2Fa', '/s%33/bucket'])(
  'a request whose headers may reach a storage provider lacks our mark: %s',
  async (path) => {
    await api.get(path);
    expect(last().url).toBe(path);
    expect(last().headers).not.toHaveProperty('x-keyfold-forwarder');
    await api.get('/robots.txt');
    expect(last().headers).toHaveProperty('x-keyfold-forwarder');
  },
);

it('the console runs its own scripts only, not files of the same origin', async () => {
  const policyAt = async (host: string, more = {}) =>
    String((await api.with({ host, ...more }).get('/@account')).headers['content-security-policy']);
  for (const host of ['files.example', '192.0.2.1'])
    expect(await policyAt(`${host}:8443`)).toContain(`script-src ${host}:*/@account/assets/;`);
  expect(await policyAt('10.0.0.1', { 'x-forwarded-host': 'files.example' })).toContain(
    'script-src files.example:*/@account/assets/;',
  );
  for (const host of ['[::1]:5244', 'a.example;script-src'])
    expect(await policyAt(host)).toContain("script-src 'self';");
});

describe('a caller whom our own routes refuse', () => {
  it('gets the same text, and OpenList nothing', async () => {
    expect((await list(api.as('x.y.z'))).outcome).toBe('401 token is invalidated');
    expect((await api.get('/api/share/list')).outcome).toBe('401 Guest user is disabled, login please');
    expect(double.requests.forwarded).toEqual([]);
  });

  it('is an access token without the scope files, and any for an administrative route', async () => {
    const reader = await newAccessToken(admin, ['profile:read']);
    const files = await newAccessToken(admin, ['files']);
    expect((await list(reader.client)).code).toBe(403);
    expect((await files.client.get('/api/admin/storage/list')).code).toBe(403);
    expect(double.requests.forwarded).toEqual([]);
    expect((await list(files.client)).code).not.toBe(403);
  });
});

describe('a request without a token', () => {
  it('is answered by OpenList where shared links are, while the guest is disabled', async () => {
    expect((await list(api)).outcome).toBe('401 Guest user is disabled, login please');
    expect(last()).toMatchObject({ url: '/api/fs/list', authorization: undefined });
  });

  it('is never refused on public routes, even with a dead token', async () => {
    expect((await api.as('dead').get('/api/public/settings')).code).toBe(200);
    expect(last().authorization).toBeUndefined();
  });

  it('gets the web page, without its Authorization', async () => {
    const page = await ann.with({ accept: 'text/html' }).get('/@manage/profile');
    expect(page.text).toContain('<title>OpenList</title>');
    expect(page.headers['content-security-policy']).toBeUndefined();
    expect(last().authorization).toBeUndefined();
  });
});

describe('the static token of OpenList', () => {
  const own = async () => (await admin.get('/api/admin/setting/get?key=token')).data<{ value: string }>().value;
  const item = (key: string, value: string) => ({
    key,
    value,
    help: '',
    type: 'string',
    options: '',
    group: 0,
    flag: 1,
  });

  it('is never shown: clients see our own', async () => {
    const token = await own();
    expect(token).toMatch(/^openlist-/);
    for (const path of ['list', 'get?keys=token,version', 'get?keys=version%2Ctoken', 'get?key=+Token']) {
      const { text } = await admin.get(`/api/admin/setting/${path}`);
      expect(text).not.toContain(double.staticToken);
    }
    expect((await admin.get('/api/admin/setting/list')).text).toContain(token);
  });

  it('is not saved, deleted or reset', async () => {
    const saved = await admin.post('/api/admin/setting/save', [item('token', 'x'), item('site_title', 'Files')]);
    expect(saved.code).toBe(200);
    expect((await admin.post('/api/admin/setting/reset_token')).data()).toMatch(/^openlist-/);
    expect((await admin.post('/api/admin/setting/delete?key=token')).code).not.toBe(200);
    expect((await admin.get('/api/admin/setting/get?key=site_title')).data()).toMatchObject({ value: 'Files' });
    expect((await admin.get('/api/admin/storage/list')).code).toBe(200);
  });
});

describe('saving settings', () => {
  const path = '/api/admin/setting/save';

  it('is refused before the body is read unless an administrator asks', async () => {
    const body = Buffer.alloc(1 << 20, '[');
    for (const client of [ann, api]) {
      const { outcome } = await client.send({ method: 'POST', path, body });
      expect(outcome).toMatch(client === ann ? '403 You are not an admin' : /^401 /);
    }
    expect(double.requests.forwarded).toEqual([]);
  });

  it('is done by POST only', async () => {
    await admin.get(path);
    expect(last()).toMatchObject({ method: 'GET', url: path });
  });

  it('refuses lists that are too deep', async () => {
    const body = Buffer.from('['.repeat(100_000) + ']'.repeat(100_000));
    expect((await admin.send({ method: 'POST', path, body })).code).toBe(400);
  });
});

describe('OPTIONS', () => {
  it('speaks for nobody if a browser asks whether it may send a request, and for the caller otherwise', async () => {
    const asking = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    await ann.with(asking).send({ method: 'OPTIONS', path: '/api/task/upload/done' });
    expect(last().authorization).toBeUndefined();
    await ann.send({ method: 'OPTIONS', path: '/api/task/upload/done' });
    expect(last().user).toMatchObject({ username: 'ann' });
  });
});

describe('account routes', () => {
  it.each([
    '/api/me',
    '/api/me/sshkey/list',
    '/api/admin/user/list',
    '/api/admin/session/list',
    '/api/authn/getcredentials',
  ])('stay here: %s', async (path) => {
    expect((await admin.get(path)).code).toBe(200);
    expect(double.requests.forwarded).toEqual([]);
  });

  it('stay here like every route that OpenList lacks, parameters included', async () => {
    const { paths } = (await api.get('/openapi.json')).json as { paths: Record<string, object> };
    double.requests.forget();
    const all = [...Object.keys(paths), '/schemas/{type}/{file}'];
    for (const path of all) await api.get(path.replaceAll(/[{}]/g, ''));
    const shared = /^\/(ping|favicon\.ico|robots\.txt|manifest\.json)?$|^\/api\/(public|admin\/setting)\//;
    expect(double.requests.forwarded.map(({ url }) => url).filter((url) => !shared.test(url))).toEqual([]);
  });

  it.each([
    '/api//auth/login',
    '//api/auth/login',
    '/API/auth/login',
    '/api/%61uth/login',
    '/api/x/../auth/login',
    '/api/admin/setting/%2e%2e/setting/reset_token',
    '/api/admin/setting//reset_token',
    '/api/admin%2fuser/list',
    '/api/%2561uth/login',
    '/api\\auth\\login',
  ])('are not reached in OpenList by another spelling: %s', async (path) => {
    const { status } = await admin.send({ method: 'POST', path, body: { username: 'ann', password: 'x' } });
    expect([200, 400, 404]).toContain(status);
    expect(double.requests.forwarded).toEqual([]);
  });
});
