import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_PASSWORD, newAddress } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { basic, NginxSite } from '../support/nginx/nginx-site.js';

let site: NginxSite;
const WRONG = '7k3m-9qxa-0b2c-d4ef-5gh6';

beforeAll(async () => {
  site = await NginxSite.start();
});
afterAll(() => site.stop());

it('nginx passes the requests of an account on with its name and groups, and without its password', async () => {
  const { password } = await site.user('ann', { permission: 1 << 8 });
  const { status, received } = await site.askAs('ann', password, '/page?x=1');
  expect([status, received!.path]).toEqual([200, '/page?x=1']);
  expect(received!.headers).toMatchObject({ 'remote-user': 'ann', 'remote-groups': 'user,webdav' });
  expect(JSON.stringify(received!.rawHeaders)).not.toMatch(/authorization|x-keyfold-token|kf_/i);
});

it('a request with a body reaches the application whole', async () => {
  const { password } = await site.user('writer');
  const body = 'x'.repeat(300_000);
  const { status, received } = await site.ask('/form', { authorization: basic('writer', password) }, { body });
  expect([status, received!.method, received!.body === body]).toEqual([200, 'POST', true]);
});

it('headers that are too long for Keyfold reach the application', async () => {
  const { password } = await site.user('baker');
  const long = 'x'.repeat(8_150);
  const headers = { authorization: basic('baker', password), 'x-1': long, 'x-2': long, cookie: long };
  expect((await site.ask('/', headers)).status).toBe(200);
});

it('nginx asks the browser for a password, and refuses a wrong one, that of the account, and one for files', async () => {
  const { owner } = await site.user('bob');
  const files = await newAppPassword(owner, { protocol: 'any' });
  const challenge = 'Basic realm="Keyfold", charset="UTF-8"';
  const answers = [await site.ask('/'), await site.ask('/', { authorization: 'Bearer x' })];
  for (const password of [WRONG, 'pw-bob', files.password]) answers.push(await site.askAs('bob', password));
  for (const { status, headers, received } of answers)
    expect([status, headers['www-authenticate'], received]).toEqual([401, challenge, undefined]);
});

it('no client chooses its name, its groups, the group that is required, or what Keyfold is asked', async () => {
  const { password } = await site.user('mallory');
  const forged = {
    authorization: basic('mallory', password),
    'remote-user': 'admin',
    'Remote-Groups': 'user,admin',
    remote_user: 'admin',
    'x-keyfold-token': 'kf_forged',
    'x-forwarded-for': '192.0.2.1',
    cookie: 'x'.repeat(7_000),
  };
  const { status, received } = await site.ask('/?group=admin', forged);
  expect(status).toBe(200);
  const names = received!.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect(names.filter((name) => /remote.(user|groups)/.test(name))).toEqual(['remote-user', 'remote-groups']);
  expect(received!.headers).toMatchObject({ 'remote-user': 'mallory', 'remote-groups': 'user' });
  for (const path of ['/admin/?group=user', '/admin/', '/%61dmin/', '//admin/', '/x/../admin/'])
    expect((await site.ask(path, forged)).status, path).toBe(403);
  for (const path of ['/keyfold-login', '/keyfold-login?group=user'])
    expect((await site.ask(path, forged)).status, path).toBe(404);
});

it('nginx requires the group of a location', async () => {
  const { password } = await site.user('plain');
  expect(await site.askAs('plain', password, '/admin/')).toMatchObject({ status: 403, received: undefined });
  const chief = await new ApiClient(site.app.baseUrl).from(newAddress()).signedIn('admin', ADMIN_PASSWORD);
  const own = await newAppPassword(chief, { protocol: 'web' });
  const { status, received } = await site.askAs('admin', own.password, '/admin/');
  expect([status, received!.headers['remote-user']]).toEqual([200, 'admin']);
});

it('a name of any letters reaches the application as one header, percent-encoded', async () => {
  for (const name of ['Åsa 😀', 'a%20b', 'evil\r\nRemote-Groups', 'ä'.repeat(341)]) {
    const { password } = await site.user(name);
    const { headers } = (await site.askAs(name, password)).received!;
    expect([decodeURIComponent(String(headers['remote-user'])), headers['remote-groups']]).toEqual([name, 'user']);
  }
});

it('a revoked app password and a disabled account are refused from the next request on', async () => {
  const { owner, id, password } = await site.user('leaver');
  expect((await site.askAs('leaver', password)).status).toBe(200);
  await site.update('leaver', { disabled: true });
  expect((await site.askAs('leaver', password)).status).toBe(403);
  await site.update('leaver', { disabled: false });
  expect((await site.askAs('leaver', password)).status).toBe(200);
  (await owner.post('/api/me/app_passwords/revoke', { id })).data();
  expect((await site.askAs('leaver', password)).status).toBe(401);
});

it('nginx answers 429 to the client that guesses, but not to its right app password', async () => {
  const { password } = await site.user('guessed');
  for (let n = 0; n < 5; n++) expect((await site.askAs('guessed', WRONG, '/', '127.1.0.2')).status).toBe(401);
  expect((await site.askAs('guessed', WRONG, '/', '127.1.0.2')).status).toBe(429);
  expect((await site.askAs('guessed', WRONG)).status).toBe(401);
  expect((await site.askAs('guessed', password, '/', '127.1.0.2')).status).toBe(200);
});

it('a page may load all its files at once', async () => {
  const { password } = await site.user('busy');
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => site.askAs('busy', password, `/${n}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it('nginx passes on what a broken application answers', async () => {
  const { password } = await site.user('unlucky');
  expect(await site.askAs('unlucky', password, '/broken')).toMatchObject({
    status: 500,
    received: { path: '/broken' },
  });
});

it('nginx answers 503 while Keyfold is down, and lets users in as soon as it is back', async () => {
  const { password } = await site.user('late');
  await site.app.kill();
  expect(await site.askAs('late', password)).toMatchObject({ status: 503, received: undefined });
  await site.app.restart();
  expect((await site.askAs('late', password)).status).toBe(200);
});
