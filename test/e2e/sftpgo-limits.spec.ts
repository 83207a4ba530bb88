import { describe, expect, it } from 'vitest';
import { createAccount, newAddress } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { loginToken, lookUpToken } from '../support/openssh/server-token.js';
import { servedSftpgo, SITE_ROOT } from '../support/sftpgo/served-sftpgo.js';
import { SftpgoServer, type Proof } from '../support/sftpgo/sftpgo-server.js';
import { sftpgoSettings } from '../support/sftpgo/sftpgo-settings.js';

const [WEBDAV, SFTP] = [1 << 8, 1 << 10];
const trusting = await servedSftpgo({ KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' });
const distrusting = await servedSftpgo();
const password = (text: string): Proof => ({ password: text });
const typed = (...answers: string[]): Proof => ({ answers: () => answers });

describe('the throttle', () => {
  const { admin, app, sftpgo, servers } = trusting;
  const api = new ApiClient(app.baseUrl);

  it('counts attempts over all file servers and the API together, for the address of the client', async () => {
    await createAccount(admin, 'guessed', { permission: SFTP | WEBDAV });
    const address = newAddress();
    expect(await sftpgo.logIn('FTP', 'guessed', password('1'), address)).toBe('refused');
    expect(await sftpgo.logIn('DAV', 'guessed', password('2'), address)).toBe('refused');
    expect(await sftpgo.logIn('SSH', 'guessed', typed('3', ''), address)).toBe('refused');
    const login = { protocol: 'sftp', username: 'guessed', address };
    expect((await servers.post('/logins', { ...login, password: '4' })).data()).toMatchObject({ account: null });
    expect((await api.from(address).logIn('guessed', '5')).code).toBe(401);

    expect(await sftpgo.logIn('FTP', 'guessed', password('pw-guessed'), address)).toBe('hook 429');
    expect(await sftpgo.logIn('SSH', 'guessed', typed('pw-guessed', ''), address)).toBe('hook 429');
    expect((await servers.post('/logins', { ...login, password: 'pw-guessed' })).status).toBe(429);
    expect((await api.from(address).logIn('guessed', 'pw-guessed')).code).toBe(429);
    const another = await sftpgo.logIn('FTP', 'guessed', password('pw-guessed'), newAddress());
    expect(another).toMatchObject({ username: 'guessed' });
  });

  it('knows the address of a client who answers prompts, which SFTPGo names only before them', async () => {
    await createAccount(admin, 'typist', { permission: SFTP });
    const address = newAddress();
    for (let n = 0; n < 5; n++) expect(await sftpgo.logIn('SSH', 'typist', typed(`${n}`, ''), address)).toBe('refused');
    expect(await sftpgo.logIn('SSH', 'typist', typed('pw-typist', ''), address)).toBe('hook 429');
    expect(await sftpgo.logIn('SSH', 'typist', typed('pw-typist', ''), newAddress())).toMatchObject({ status: 1 });
  });
});

describe('a name without an account', () => {
  const { sftpgo, servers, app } = trusting;
  const login = (username: string, address: string) => sftpgo.logIn('SSH', username, typed('wrong', ''), address);

  /** Returns two names for which SFTPGo gets the same user. */
  async function sharingNames(): Promise<[string, string]> {
    const nameOf = new Map<string, string>();
    for (let n = 0; n <= 256; n++) {
      const name = `nobody-${n}`;
      const asked = { username: name, protocol: 'SSH', ip: newAddress(), keyboard_interactive: '1' };
      const { username } = (await servers.post('/sftpgo/auth?root=/srv', asked)).json as { username: string };
      const other = nameOf.get(username);
      if (other !== undefined) return [other, name];
      nameOf.set(username, name);
    }
    throw new Error('there are more than 256 users');
  }

  it('is throttled at the prompts for its own attempts only, as an account is', async () => {
    const [name, other] = await sharingNames();
    const address = newAddress();
    for (let n = 0; n < 5; n++) expect(await login(name, address)).toBe('refused');
    expect(await login(name, address)).toBe('hook 429');
    for (let n = 0; n < 5; n++) expect(await login(other, address)).toBe('refused');
    expect(await login(other, address)).toBe('hook 429');
  });

  it('is throttled for attempts over all ways together, as an account is', async () => {
    const address = newAddress();
    for (let n = 0; n < 3; n++) expect(await login('absent', address)).toBe('refused');
    for (let n = 0; n < 2; n++)
      expect((await new ApiClient(app.baseUrl).from(address).logIn('absent', 'wrong')).code).toBe(401);
    expect(await login('absent', address)).toBe('hook 429');
    expect(await sftpgo.logIn('FTP', 'absent', password('wrong'), address)).toBe('hook 429');
  });

  it('is throttled for its own attempts if several clients of one address type at the same time', async () => {
    const names = await sharingNames();
    const address = newAddress();
    const each = await Promise.all([...names, ...names, ...names].map((name) => login(name, address)));
    expect(new Set(each)).toEqual(new Set(['refused']));
    for (const name of names) {
      for (let n = 0; n < 2; n++) expect(await login(name, address)).toBe('refused');
      expect(await login(name, address)).toBe('hook 429');
    }
  });
});

it('an account that SFTPGo must not let in never comes in, even with the right answers to the prompts', async () => {
  const { admin, servers } = trusting;
  await createAccount(admin, 'web-only', { permission: WEBDAV });
  const address = newAddress();
  const asked = { username: 'web-only', protocol: 'SSH', ip: address, keyboard_interactive: '1' };
  const user = (await servers.post('/sftpgo/auth?root=/srv', asked)).json as { username: string; status: number };
  expect(user).toMatchObject({ status: 0 });
  const prompt = (fields: object) =>
    servers.post('/sftpgo/prompts', { request_id: 'r', username: user.username, ...fields });
  await prompt({ ip: address });
  expect((await prompt({ answers: ['pw-web-only', ''] })).json).toEqual({ auth_result: -1 });
});

it('the address of a client is believed from configured servers only', async () => {
  const { admin, app, sftpgo } = distrusting;
  await createAccount(admin, 'forged', { permission: SFTP });
  const addresses = Array.from({ length: 5 }, newAddress);
  for (const address of addresses)
    expect(await sftpgo.logIn('FTP', 'forged', password('wrong'), address)).toBe('refused');
  // All attempts count for the server.
  expect(await sftpgo.logIn('FTP', 'forged', password('pw-forged'), newAddress())).toBe('hook 429');
  for (const address of addresses)
    expect((await new ApiClient(app.baseUrl).from(address).logIn('forged', 'pw-forged')).code).toBe(200);
});

describe('a request to a hook', () => {
  const { servers } = trusting;
  const login = { username: 'ann', protocol: 'SSH', ip: '192.0.2.1', password: 'x' };
  const auth = (query: string, body: object = login) => servers.post(`/sftpgo/auth${query}`, body);

  it.each([
    '',
    '?root=',
    '?root=/',
    '?root=srv',
    '?root=//',
    '?root=/srv//',
    '?root=/srv//x',
    '?root=/srv/../',
    '?root=/srv/../etc',
    '?root=/./x',
    '?root=/x/..',
  ])('with the root %j is refused', async (query) => {
    const answer = await auth(query);
    expect([answer.status, answer.outcome]).toEqual([
      400,
      expect.stringContaining('root must be an absolute path below /'),
    ]);
  });

  it('may end its root with a slash', async () => {
    await createAccount(trusting.admin, 'slashed', { permission: SFTP, base_path: '/x' });
    const slashed = { ...login, username: 'slashed', password: 'pw-slashed' };
    for (const root of ['/srv', '/srv/'])
      expect((await auth(`?root=${root}`, slashed)).json).toMatchObject({ home_dir: '/srv/x' });
  });

  it('may have fields that Keyfold does not know, and a large stored user', async () => {
    const user = { id: 1, username: 'ann', description: 'x'.repeat(60_000) };
    const answer = await auth('?root=/srv', { ...login, user, later_version: true });
    expect([answer.status, answer.json]).toEqual([200, { username: '' }]);
    expect((await auth('?root=/srv', { ...login, user: 'x'.repeat(140_000) })).status).toBe(413);
  });

  it('is refused if a field has another type', async () => {
    for (const wrong of [{ username: null }, { password: 1 }, { public_key: ['x'] }, { protocol: {} }])
      expect((await auth('?root=/srv', { ...login, ...wrong })).status).toBe(400);
    for (const answers of ['x', [1], Array.from({ length: 17 }, () => 'x')])
      expect((await servers.post('/sftpgo/prompts', { request_id: 'a', username: 'ann', answers })).status).toBe(400);
  });

  it('is never answered with an empty body, which SFTPGo takes for an unchanged user', async () => {
    for (const fields of [
      {},
      { username: '' },
      { password: '' },
      { protocol: 'HTTP' },
      { password: '', tls_cert: 'x' },
    ]) {
      const answer = await auth('?root=/srv', { ...login, ...fields });
      expect([answer.status, answer.json]).toEqual([200, { username: '' }]);
    }
  });

  it('takes POST only, and the API does not have it', async () => {
    for (const path of ['/sftpgo/auth', '/sftpgo/prompts', '/sftpgo/sessions']) {
      expect((await servers.get(path)).status).toBe(405);
      expect((await trusting.admin.post(path, {})).status).toBe(404);
    }
  });
});

describe('nobody comes in', () => {
  const { admin, servers, app } = distrusting;
  const withToken = (token: string) =>
    new SftpgoServer(sftpgoSettings({ keyfold: servers.baseUrl, root: SITE_ROOT, token }));

  it('with the token of another scope, or a revoked one', async () => {
    await createAccount(admin, 'ann', { permission: SFTP });
    const wrong = withToken(await lookUpToken(admin, 'keys only'));
    expect(await wrong.logIn('SSH', 'ann', password('pw-ann'))).toBe('hook 403');
    const token = await loginToken(admin, 'to revoke');
    const right = withToken(token);
    expect(await right.logIn('SSH', 'ann', typed('wrong', ''))).toBe('refused');
    const listed = (await admin.get('/api/me/tokens')).data<{ id: number; name: string }[]>();
    (await admin.post('/api/me/tokens/revoke', { id: listed.find(({ name }) => name === 'to revoke')!.id })).data();
    expect(await right.logIn('SSH', 'ann', password('pw-ann'))).toBe('hook 401');
  });

  it('while Keyfold is down, also those whom SFTPGo stored', async () => {
    const server = withToken(await loginToken(admin, 'away'));
    await createAccount(admin, 'stored', { permission: SFTP });
    expect(await server.logIn('SSH', 'stored', typed('pw-stored', ''))).toMatchObject({ status: 1 });
    await app.stop();
    expect(server.users.has('stored')).toBe(true);
    for (const proof of [password('pw-stored'), typed('pw-stored', '')])
      expect(await server.logIn('SSH', 'stored', proof)).toBe('hook unreachable');
  });
});
