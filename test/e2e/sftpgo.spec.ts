import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount, updateAccount } from '../support/account-changes.js';
import { createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { eventually } from '../support/eventually.js';
import { keyLine } from '../support/key-line.js';
import { logLines } from '../support/log-lines.js';
import { addKey } from '../support/openssh/file-servers.js';
import { servedSftpgo, SITE_ROOT } from '../support/sftpgo/served-sftpgo.js';
import { SftpgoServer, type Outcome, type Proof } from '../support/sftpgo/sftpgo-server.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';
import { timesLength } from '../support/test-length.js';
import { codeNow, enrol } from '../support/two-factor.js';

const bits = (...each: number[]) => each.reduce((sum, bit) => sum | (1 << bit), 0);
const [WEBDAV, WEBDAV_WRITE, SFTP, SFTP_WRITE] = [bits(8), bits(9), bits(10), bits(11)];
const EVERYTHING = -1;
const { line } = keyLine('laptop');

const { app, admin, servers, settings, sftpgo } = await servedSftpgo({
  KEYFOLD_SERVERS_TRUSTED: '127.0.0.1',
  KEYFOLD_THREADS: '2',
});
const api = new ApiClient(app.baseUrl);

beforeAll(async () => {
  await createAccount(admin, 'ann', { permission: EVERYTHING, base_path: '/people/ann' });
  await addKey(await signedInAs(api, 'ann'), 'laptop', line);
});

const password = (text: string): Proof => ({ password: text });
/** Answers the prompts for the password and the code. */
const typed = (...answers: string[]): Proof => ({ answers: () => answers });
const logIn = (protocol: string, username: string, proof: Proof) =>
  sftpgo.logIn(protocol, username, proof, newAddress());
const cameIn = (outcome: Outcome) => typeof outcome === 'object';

async function removeKey(owner: ApiClient): Promise<void> {
  const [key] = await listedKeysOf(owner);
  (await owner.post(`/api/me/sshkey/delete?id=${key!.id}`)).data();
}

describe('a client comes in', () => {
  it.each(['SSH', 'FTP', 'DAV'])('by password over %s, to the folder of the base path', async (protocol) => {
    expect(await logIn(protocol, 'ann', password('pw-ann'))).toMatchObject({
      username: 'ann',
      home_dir: `${SITE_ROOT}/people/ann`,
      permissions: {
        '/': ['list', 'download', 'upload', 'overwrite', 'create_dirs', 'chtimes', 'rename', 'copy', 'delete'],
      },
      filters: { denied_protocols: ['HTTP'] },
    });
    expect(await logIn(protocol, 'ann', password('wrong'))).toBe('refused');
    expect(await logIn(protocol, randomUUID(), password('pw-ann'))).toBe('refused');
  });

  it('by key over SSH, and by no other key', async () => {
    expect(await logIn('SSH', 'ann', { publicKey: line })).toMatchObject({ home_dir: `${SITE_ROOT}/people/ann` });
    expect(await logIn('SSH', 'ann', { publicKey: keyLine('another').line })).toBe('refused');
    expect(await logIn('SSH', 'ann', { publicKey: 'ssh-ed25519 AAAA' })).toBe('refused');
  });

  it('by answers to prompts over SSH', async () => {
    expect(await logIn('SSH', 'ann', typed('pw-ann', ''))).toMatchObject({ username: 'ann' });
    expect(await logIn('SSH', 'ann', typed('wrong', ''))).toBe('refused');
    expect(await logIn('SSH', 'ann', typed('', ''))).toBe('refused');
    expect(await logIn('SSH', 'ann', typed())).toBe('refused');
  });

  it('again after SFTPGo stored the user, whom it sends with later requests', async () => {
    expect(sftpgo.users.has('ann')).toBe(true);
    expect(cameIn(await logIn('SSH', 'ann', password('pw-ann')))).toBe(true);
    expect(await logIn('SSH', 'ann', password('wrong'))).toBe('refused');
  });

  it('only over the protocols of its permission bits, with the right to write of this protocol, and never over the web client', async () => {
    await createAccount(admin, 'mixed', { permission: SFTP | WEBDAV | WEBDAV_WRITE | bits(3, 7) });
    await createAccount(admin, 'dav', { permission: WEBDAV | SFTP_WRITE });
    const permissionsOf = async (protocol: string, username: string) => {
      const user = await logIn(protocol, username, password(`pw-${username}`));
      return typeof user === 'object' ? user.permissions['/'] : user;
    };
    expect(await permissionsOf('SSH', 'mixed')).toEqual(['list', 'download']);
    expect(await permissionsOf('FTP', 'mixed')).toEqual(['list', 'download']);
    const written = ['upload', 'overwrite', 'create_dirs', 'chtimes', 'delete'];
    expect(await permissionsOf('DAV', 'mixed')).toEqual(['list', 'download', ...written]);
    expect(await permissionsOf('DAV', 'dav')).toEqual(['list', 'download']);
    for (const protocol of ['SSH', 'FTP', 'HTTP', 'OIDC']) expect(await permissionsOf(protocol, 'dav')).toBe('refused');
    expect(await permissionsOf('HTTP', 'ann')).toBe('refused');
  });
});

describe('with two-factor, a client', () => {
  let secret: string;
  beforeAll(async () => {
    await createAccount(admin, 'tfa', { permission: EVERYTHING });
    secret = await enrol(await signedInAs(api, 'tfa'));
  });

  it('needs the code after the password over FTP, WebDAV and SSH: the password alone is refused', async () => {
    for (const protocol of ['SSH', 'FTP', 'DAV'])
      expect(await logIn(protocol, 'tfa', password('pw-tfa'))).toBe('refused');
    const withCode = password(`pw-tfa${codeNow(secret, 1)}`);
    expect(cameIn(await logIn('FTP', 'tfa', withCode))).toBe(true);
    expect(await logIn('FTP', 'tfa', withCode)).toBe('refused');
  });

  it('answers both prompts over SSH, and is not told which answer was wrong', async () => {
    await createAccount(admin, 'typist', { permission: EVERYTHING });
    const own = await enrol(await signedInAs(api, 'typist'));
    expect(await logIn('SSH', 'typist', typed('pw-typist', ''))).toBe('refused');
    expect(await logIn('SSH', 'typist', typed('pw-typist', 'abcdef'))).toBe('refused');
    expect(await logIn('SSH', 'typist', typed('wrong', codeNow(own, 1)))).toBe('refused');
    expect(cameIn(await logIn('SSH', 'typist', typed('pw-typist', codeNow(own, 1))))).toBe(true);
  });
});

describe('an app password', () => {
  let owner: ApiClient;
  beforeAll(async () => {
    await createAccount(admin, 'app', { permission: SFTP | WEBDAV });
    owner = await signedInAs(api, 'app');
    await enrol(owner);
  });

  /** Returns the protocols over which a client comes in. */
  async function protocolsOf(proof: Proof): Promise<string[]> {
    const outcomes: string[] = [];
    for (const protocol of ['SSH', 'FTP', 'DAV', 'HTTP'])
      if (cameIn(await logIn(protocol, 'app', proof))) outcomes.push(protocol);
    return outcomes;
  }

  it.each([
    ['sftp', ['SSH']],
    ['ftp', ['FTP']],
    ['webdav', ['DAV']],
    ['any', ['SSH', 'FTP', 'DAV']],
  ])('for %s lets in over %j, without a code', async (protocol, expected) => {
    const { password: secret } = await newAppPassword(owner, { protocol });
    expect(await protocolsOf(password(secret))).toEqual(expected);
  });

  it('is also an answer to the prompts, and the password of the account is none', async () => {
    const { password: secret } = await newAppPassword(owner, { protocol: 'sftp' });
    expect(await logIn('SSH', 'app', typed(secret, ''))).toMatchObject({ username: 'app' });
    expect(await logIn('SSH', 'app', typed('pw-app', ''))).toBe('refused');
    expect(await protocolsOf(password('pw-app'))).toEqual([]);
  });

  it('that is revoked is refused at the next login', async () => {
    const { id, password: secret } = await newAppPassword(owner, { protocol: 'any' });
    expect(await protocolsOf(password(secret))).toHaveLength(3);
    (await owner.post('/api/me/app_passwords/revoke', { id })).data();
    expect(await protocolsOf(password(secret))).toEqual([]);
  });
});

describe('a base path', () => {
  it.each([
    ['/../../etc', '/etc'],
    ['..\\..\\x', '/x'],
    ['/a/./b//', '/a/b'],
  ])('%s stays below the root of the site', async (basePath, folder) => {
    const name = `user-${randomUUID()}`;
    await createAccount(admin, name, { permission: SFTP, base_path: basePath });
    expect(await logIn('SSH', name, password(`pw-${name}`))).toMatchObject({ home_dir: SITE_ROOT + folder });
  });

  it('with a NUL lets nobody in, and an operator sees why', async () => {
    await createAccount(admin, 'nul', { permission: SFTP, base_path: '/a\0/b' });
    for (const proof of [password('pw-nul'), typed('pw-nul', '')])
      expect(await logIn('SSH', 'nul', proof)).toBe('refused');
    await eventually(() =>
      expect(logLines(app.output())).toContainEqual(
        expect.objectContaining({
          msg: 'refused a login: the base path is no folder below the root of the site',
          username: 'nul',
        }),
      ),
    );
  });

  it('decides alone: no name of an account reaches the path', async () => {
    for (const name of ['..', '../../etc', '/etc', 'a/b', 'a\0b', '%2e%2e', '~']) {
      await createAccount(admin, name, { permission: SFTP, base_path: '/shared' });
      // SFTPGo itself would refuse some of these names.
      const login = { username: name, protocol: 'SSH', ip: newAddress(), password: `pw-${name}` };
      const { json } = await servers.post(`/sftpgo/auth?root=${SITE_ROOT}`, login);
      expect(json).toMatchObject({ username: name, home_dir: `${SITE_ROOT}/shared` });
    }
  });

  it('/ is the root of the site', async () => {
    await createAccount(admin, 'whole', { permission: SFTP, base_path: '/' });
    expect(await logIn('SSH', 'whole', password('pw-whole'))).toMatchObject({ home_dir: SITE_ROOT });
  });
});

describe('after an account was', () => {
  it.each([
    ['disabled', (name: string) => updateAccount(admin, name, { disabled: true })],
    ['refused SFTP', (name: string) => updateAccount(admin, name, { permission: WEBDAV })],
    ['renamed', (name: string) => updateAccount(admin, name, { username: `${name}-renamed` })],
    ['deleted', (name: string) => deleteAccount(admin, name)],
  ])('%s, the next login is refused, whatever SFTPGo stored', async (_what, change) => {
    const name = `user-${randomUUID()}`;
    await createAccount(admin, name, { permission: SFTP | WEBDAV, base_path: '/x' });
    await addKey(await signedInAs(api, name), 'key', keyLine(name).line);
    const proofs = [password(`pw-${name}`), { publicKey: keyLine(name).line }, typed(`pw-${name}`, '')];
    for (const proof of proofs) expect(cameIn(await logIn('SSH', name, proof))).toBe(true);
    await change(name);
    for (const proof of proofs) expect(await logIn('SSH', name, proof)).toBe('refused');
  });

  it('given another password and lost its key, the next logins with the old ones are refused', async () => {
    await createAccount(admin, 'changed', { permission: SFTP });
    const owner = await signedInAs(api, 'changed');
    await addKey(owner, 'old', keyLine('old').line);
    const old = [password('pw-changed'), typed('pw-changed', ''), { publicKey: keyLine('old').line }];
    for (const proof of old) expect(cameIn(await logIn('SSH', 'changed', proof))).toBe(true);
    await removeKey(owner);
    await updateAccount(admin, 'changed', { password: 'new' });
    for (const proof of old) expect(await logIn('SSH', 'changed', proof)).toBe('refused');
    expect(cameIn(await logIn('SSH', 'changed', password('new')))).toBe(true);
  });

  it('changed at one thread, the next login is refused at the other, every time', async () => {
    const { id } = await createAccount(admin, 'raced', { permission: SFTP });
    const owner = await signedInAs(api, 'raced');
    const permit = async (permission: number) =>
      (await admin.post('/api/admin/user/update', { id, username: 'raced', permission })).data();
    for (let n = 0; n < timesLength(20); n++) {
      await permit(SFTP);
      await addKey(owner, 'laptop', keyLine('raced').line);
      const { id: secretId, password: secret } = await newAppPassword(owner);
      const changes: [Proof, () => Promise<unknown>][] = [
        [{ publicKey: keyLine('raced').line }, () => removeKey(owner)],
        [password(secret), async () => (await owner.post('/api/me/app_passwords/revoke', { id: secretId })).data()],
        [password('pw-raced'), () => permit(0)],
      ];
      for (const [proof, forbid] of changes) {
        // One address, so that a success forgives the failures before it.
        expect(await sftpgo.logIn('SSH', 'raced', proof, `10.0.${n}.1`)).toMatchObject({ username: 'raced' });
        await forbid();
        expect(await sftpgo.logIn('SSH', 'raced', proof, `10.0.${n}.1`), `try ${n}`).toBe('refused');
      }
    }
  });

  it.each([
    ['disabled', { disabled: true }],
    ['refused WebDAV', { permission: SFTP }],
  ])('%s, its next WebDAV request is refused, although SFTPGo remembers the user', async (_what, change) => {
    const name = `user-${randomUUID()}`;
    await createAccount(admin, name, { permission: WEBDAV });
    const request = () => sftpgo.webdavRequest(name, `pw-${name}`, newAddress());
    expect(await request()).toMatchObject({ user: { username: name } });
    await updateAccount(admin, name, change);
    expect(await request()).toBe('refused');
  });
});

describe('a WebDAV client', () => {
  it('keeps the locks of its files for days, until its account gets another folder', async () => {
    let now = 0;
    const server = new SftpgoServer(settings, () => now);
    await createAccount(admin, 'editor', { permission: WEBDAV, base_path: '/editor' });
    const locks = async () => {
      const answer = await server.webdavRequest('editor', 'pw-editor', newAddress());
      if (typeof answer === 'string') throw new Error(answer);
      return answer.locks;
    };
    (await locks()).add('/report.odt');
    now += 48 * 3_600_000;
    expect([...(await locks())]).toEqual(['/report.odt']);
    await updateAccount(admin, 'editor', { base_path: '/elsewhere' });
    expect([...(await locks())]).toEqual([]);
  });

  it('with a one-time code is refused from its second request on, and with an app password never', async () => {
    await createAccount(admin, 'mount', { permission: WEBDAV });
    const owner = await signedInAs(api, 'mount');
    const secret = await enrol(owner);
    const request = async (text: string) =>
      typeof (await sftpgo.webdavRequest('mount', text, '192.0.2.77')) === 'object';
    const withCode = `pw-mount${codeNow(secret, 1)}`;
    expect([await request(withCode), await request(withCode)]).toEqual([true, false]);
    const { password: appPassword } = await newAppPassword(owner, { protocol: 'webdav' });
    for (let n = 0; n < 4; n++) expect(await request(appPassword)).toBe(true);
  });
});

it.each(['SSH', 'FTP', 'DAV'])('a password of 200 bytes is accepted over %s, as over the API', async (protocol) => {
  const [name, long] = [`user-${randomUUID()}`, 'ä'.repeat(100)];
  await createAccount(admin, name, { permission: EVERYTHING, password: long });
  expect(await logIn(protocol, name, password(long))).toMatchObject({ username: name });
  expect(await logIn(protocol, name, password(long.slice(0, 36)))).toBe('refused');
});

it('an operator sees that SFTPGo does not accept a name, once its login was right', async () => {
  const warnings = () =>
    logLines(app.output()).filter(
      (each) => each['msg'] === 'SFTPGo 2.7 refuses this user name' && each['username'] === 'a:b',
    );
  await createAccount(admin, 'a:b', { permission: SFTP });
  const { line } = keyLine('unusable');
  await addKey(await signedInAs(new ApiClient(app.baseUrl), 'a:b'), 'unusable', line);
  expect(await logIn('SSH', 'a:b', { publicKey: line })).toBe('name not accepted');
  expect(await logIn('SSH', 'a:b', typed('wrong', ''))).toBe('refused');
  expect(await logIn('SSH', 'a:b', password('wrong'))).toBe('refused');
  expect(await logIn('SSH', 'a:b', password('pw-a:b'))).toBe('name not accepted');
  await eventually(() => expect(warnings()).toHaveLength(1));
  expect(await logIn('SSH', 'a:b', typed('pw-a:b', ''))).toBe('refused');
  await eventually(() => expect(warnings()).toHaveLength(2));
});

describe('a name without an account', () => {
  it('is prompted like any other, and stands for one of few users of SFTPGo, who are disabled', async () => {
    const server = new SftpgoServer(settings);
    await createAccount(admin, 'blocked', { permission: WEBDAV });
    await createAccount(admin, 'c:d', { permission: SFTP });
    const asked: (readonly string[])[] = [];
    for (const name of ['ann', 'blocked', 'c:d', randomUUID(), randomUUID()]) {
      const proof = { answers: (questions: readonly string[]) => (asked.push(questions), ['wrong', '']) };
      expect(await server.logIn('SSH', name, proof, newAddress())).toBe('refused');
    }
    expect(asked).toHaveLength(5);
    expect(new Set(asked.map((each) => each.join())).size).toBe(1);
    const [, ...others] = server.users.values();
    for (const user of others) expect(user).toMatchObject({ status: 0, home_dir: SITE_ROOT });
    expect(others.map(({ username }) => username).join()).toMatch(/^(keyfold-nobody-\d+,?)+$/);
  });
});

it('no secret that a client sent is in the log', async () => {
  const secrets = ['typed-in-vain-1', 'typed-in-vain-2'];
  await logIn('SSH', 'ann', password(secrets[0]!));
  await logIn('SSH', 'ann', typed(secrets[1]!, '123456'));
  expect((await servers.post('/sftpgo/auth?root=/srv', { username: 7, password: secrets[0] })).status).toBe(400);
  for (const secret of [...secrets, 'pw-ann']) expect(app.output()).not.toContain(secret);
});
