import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { ADMIN_PASSWORD, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { eventually } from '../support/eventually.js';
import { logLines } from '../support/log-lines.js';
import { servedFileServers, SFTP, WEBDAV } from '../support/openssh/file-servers.js';
import { loginToken } from '../support/openssh/server-token.js';
import { codeNow, enrol } from '../support/two-factor.js';

// The servers port belongs to one thread, and most changes happen in the other.
const {
  app,
  admin,
  servers: lookUps,
} = await servedFileServers({ KEYFOLD_THREADS: '2', KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' });
const api = new ApiClient(app.baseUrl);
const token = await loginToken(admin);
const stranger = new ApiClient(lookUps.baseUrl);
const webServer = stranger.with({ 'x-keyfold-token': token });
const REFUSED = [401, '401 Invalid username or password', 'Basic realm="Keyfold", charset="UTF-8"'];
const WRONG = '7k3m-9qxa-0b2c-d4ef-5gh6';

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
const ask = (authorization: string | undefined, path = '/web-login', address = newAddress()) =>
  webServer
    .from(address)
    .with(authorization === undefined ? {} : { authorization })
    .get(path);
const shown = async (asked: ReturnType<typeof ask>) => {
  const { status, outcome, headers } = await asked;
  return [status, outcome, headers['www-authenticate']];
};

/** Creates an account and an app password for `web`, and returns its owner and the text of Basic authentication. */
async function newUser(username: string, permission = 0) {
  await createAccount(admin, username, { permission });
  const owner = await signedInAs(api, username);
  const { id, password } = await newAppPassword(owner, { protocol: 'web' });
  return { owner, id, password, authorization: basic(username, password) };
}

describe('a web server', () => {
  it('is told the name and the groups of an account with an app password for web', async () => {
    const { authorization } = await newUser('ann', SFTP | WEBDAV);
    const { status, headers, text } = await ask(authorization);
    expect([status, headers['remote-user'], headers['remote-groups']]).toEqual([200, 'ann', 'user,sftp,webdav,ftp']);
    expect(JSON.parse(text)).toMatchObject({ data: { username: 'ann', groups: ['user', 'sftp', 'webdav', 'ftp'] } });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('may require a group, which no account is in for its name', async () => {
    const { authorization: plain } = await newUser('admin,admin');
    const { authorization: dav } = await newUser('dav', WEBDAV);
    const chief = await api.from(newAddress()).signedIn('admin', ADMIN_PASSWORD);
    const admins = basic('admin', (await newAppPassword(chief, { protocol: 'web' })).password);
    const statuses = async (authorization: string) => {
      const paths = ['user', 'admin', 'sftp', 'webdav'].map((group) => `/web-login?group=${group}`);
      return Promise.all(paths.map(async (path) => (await ask(authorization, path)).status));
    };
    expect(await statuses(plain)).toEqual([200, 403, 403, 403]);
    expect(await statuses(dav)).toEqual([200, 403, 403, 200]);
    expect((await statuses(admins)).slice(0, 2)).toEqual([200, 200]);
    // Nothing that follows changes the group that was asked for.
    expect((await ask(plain, '/web-login?group=admin&group=user')).status).toBe(403);
    expect((await ask(plain, '/web-login?group=admin')).outcome).toBe('403 the account is not in the group admin');
    expect((await ask(admins)).headers['remote-groups']).toMatch(/^user,admin/);
  });

  it.each(['?group=', '?group=admins', '?groups=admin'])('is refused with the query %s', async (query) => {
    const authorization = basic('admin', WRONG);
    expect((await ask(authorization, `/web-login${query}`)).status).toBe(400);
  });

  it('needs its access token in a header of its own, with the scope', async () => {
    const { authorization } = await newUser('guarded');
    const clients = {
      'without a token': stranger.as(authorization),
      'with a token for another route': stranger.with({
        'x-keyfold-token': lookUps.token.slice('Bearer '.length),
        authorization,
      }),
      'with the token in Authorization': stranger.as(`Bearer ${token}`),
      'with Bearer before the token': stranger.with({ 'x-keyfold-token': `Bearer ${token}`, authorization }),
      'with two tokens': stranger.with({ 'x-keyfold-token': `${token}, ${token}`, authorization }),
    };
    const answers: Record<string, [number, string | undefined]> = {};
    for (const [name, client] of Object.entries(clients)) {
      const { status, headers } = await client.get('/web-login');
      answers[name] = [status, headers['www-authenticate']];
    }
    // No prompt appears for them in a browser.
    expect(answers).toEqual({
      'without a token': [401, 'Bearer'],
      'with a token for another route': [403, undefined],
      'with the token in Authorization': [401, 'Bearer'],
      'with Bearer before the token': [401, 'Bearer'],
      'with two tokens': [401, 'Bearer'],
    });
    // And the other way round: the header opens no other route.
    expect((await webServer.post('/logins', {})).status).toBe(401);
  });
});

describe('a login', () => {
  it('needs an app password for web, and no code', async () => {
    const { owner, authorization } = await newUser('careful', SFTP | WEBDAV);
    const secret = await enrol(owner);
    expect((await ask(authorization)).status).toBe(200);
    const passwords = ['pw-careful', `pw-careful${codeNow(secret, 1)}`, WRONG, '', ':'];
    for (const protocol of ['sftp', 'webdav', 'ftp', 'any'])
      passwords.push((await newAppPassword(owner, { protocol })).password);
    for (const password of passwords) expect(await shown(ask(basic('careful', password))), password).toEqual(REFUSED);
  });

  it('opens nothing but web applications', async () => {
    const { password } = await newUser('narrow', SFTP | WEBDAV);
    const servers = lookUps.as(`Bearer ${token}`);
    for (const protocol of ['sftp', 'webdav', 'ftp']) {
      const login = { protocol, username: 'narrow', password, address: newAddress() };
      expect((await servers.post('/logins', login)).data(), protocol).toEqual({ account: null, factors: [] });
    }
    expect((await servers.post('/logins', { protocol: 'web', username: 'narrow', password })).status).toBe(400);
  });

  it('is refused from the next request on after a revocation, and while its account is disabled', async () => {
    const { owner, id, authorization } = await newUser('leaver');
    await updateAccount(admin, 'leaver', { disabled: true });
    expect(await shown(ask(authorization))).toEqual([403, '403 the account is disabled', undefined]);
    await updateAccount(admin, 'leaver', { disabled: false });
    expect((await ask(authorization)).status).toBe(200);
    (await owner.post('/api/me/app_passwords/revoke', { id })).data();
    expect(await shown(ask(authorization))).toEqual(REFUSED);
  });

  it('is refused alike for an unknown name, the guest, the password of the account, and no or broken authentication', async () => {
    await newUser('known');
    await createAccount(admin, 'formed', { password: WRONG });
    const bytes = (...parts: (string | number[])[]) =>
      `Basic ${Buffer.concat(parts.map((part) => Buffer.from(part as string))).toString('base64')}`;
    const refused = {
      'an unknown name': basic('nobody', WRONG),
      'the guest': basic('guest', 'guest'),
      'a password of an account with the form of an app password': basic('formed', WRONG),
      'no header': undefined,
      'another scheme': `Bearer ${token}`,
      'no base64': 'Basic !',
      'two words': `${basic('known', WRONG)} more`,
      'nothing in base64': 'Basic ',
      'no colon': bytes('known'),
      'no name': basic('', WRONG),
      'a name that is not UTF-8': bytes([0xff, 0xfe], `:${WRONG}`),
      'a byte order mark': bytes([0xef, 0xbb, 0xbf], `known:${WRONG}`),
      'a name that is too long': basic('x'.repeat(4_000), WRONG),
    };
    for (const [name, authorization] of Object.entries(refused))
      expect(await shown(ask(authorization)), name).toEqual(REFUSED);
    expect((await ask(basic('x'.repeat(20_000), WRONG))).status).toBe(431);
  });

  it('never puts a name into a header that is another name, another header or longer than 2,048 letters', async () => {
    const names = ['a b', 'a%20b', 'a,b', 'ann\r\nRemote-Groups', 'ann\0', '"ann"', 'Åsa 😀', '\ufeffann', 'ann '];
    const headers = new Set<string>();
    for (const name of names) {
      const { status, headers: sent } = await ask((await newUser(name)).authorization);
      const [user, groups] = [String(sent['remote-user']), sent['remote-groups']];
      expect([status, decodeURIComponent(user), groups], name).toEqual([200, name, 'user']);
      expect(user).toMatch(/^[\w.~!'()*%-]+$/);
      headers.add(user);
    }
    expect(headers.size).toBe(names.length);
    for (const [length, status] of [
      [341, 200],
      [342, 401],
    ] as const)
      expect((await ask((await newUser('ä'.repeat(length))).authorization)).status, String(length)).toBe(status);
  });

  it('with a name that has a colon is that of the shorter name', async () => {
    await newUser('col');
    const { authorization } = await newUser('col:on');
    expect(await shown(ask(authorization))).toEqual(REFUSED);
  });
});

describe('guesses', () => {
  it('are throttled for the client that the web server names, with the guesses at the API', async () => {
    const { authorization } = await newUser('guessed');
    const address = newAddress();
    for (let n = 0; n < 5; n++) expect((await ask(basic('guessed', WRONG), '/web-login', address)).status).toBe(401);
    const throttled = await ask(basic('guessed', WRONG), '/web-login', address);
    expect([throttled.status, Number(throttled.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await api.from(address).logIn('guessed', 'pw-guessed')).code).toBe(429);
    expect((await ask(authorization, '/web-login', address)).status).toBe(200);
  });

  it('are those of the web server itself unless it is trusted', async () => {
    const { authorization } = await newUser('unbelieved');
    const askFrom = async (localAddress: string, sent: string) => {
      const headers = { authorization: sent, 'x-keyfold-token': token, 'x-forwarded-for': newAddress() };
      const asking = request(`${stranger.baseUrl}/web-login`, { localAddress, headers, agent: false }).end();
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      return answer.resume().statusCode;
    };
    for (let n = 0; n < 5; n++) expect(await askFrom('127.0.0.2', basic('unbelieved', WRONG))).toBe(401);
    expect(await askFrom('127.0.0.2', basic('unbelieved', WRONG))).toBe(429);
    expect(await askFrom('127.0.0.1', basic('unbelieved', WRONG))).toBe(401);
    expect(await askFrom('127.0.0.2', authorization)).toBe(200);
    await eventually(() =>
      expect(logLines(app.output())).toContainEqual(
        expect.objectContaining({ peer: '127.0.0.2', msg: expect.stringContaining('KEYFOLD_SERVERS_TRUSTED') }),
      ),
    );
  });

  it('are not a page that loads all its files at once', async () => {
    const { authorization } = await newUser('busy');
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 150 }, () => ask(authorization, '/web-login', address)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
