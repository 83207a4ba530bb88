import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { loadedUsers } from '../support/sftpgo/loaded-users.js';
import { SFTPGO_NAMES } from '../support/sftpgo/sftpgo-names.js';
import { SftpgoApi } from '../support/sftpgo/sftpgo-api.js';
import { SftpgoServer, type StoredUser } from '../support/sftpgo/sftpgo-server.js';
import { sftpgoSettings, type SftpgoSettings } from '../support/sftpgo/sftpgo-settings.js';

type Question = Readonly<{ username: string; password: string; user?: object }>;

/** A hook in place of Keyfold's, which lets everybody in whose password is not "wrong", and holds its answers until `held` is over. */
const asked: Question[] = [];
let held: Promise<void> = Promise.resolve();
let home = '/srv/files';
const hook = createServer((request, response) => void answer(request, response));
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const question = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Question;
  asked.push(question);
  await held;
  const user: StoredUser = {
    status: 1,
    username: question.password === 'wrong' ? '' : question.username,
    home_dir: home,
    permissions: { '/': ['list'] },
    filters: { denied_protocols: [], denied_login_methods: [] },
  };
  response.end(JSON.stringify(user));
}
await once(hook.listen(0, '127.0.0.1'), 'listening');
afterAll(() => hook.close());

const installed = sftpgoSettings({
  keyfold: `http://127.0.0.1:${(hook.address() as AddressInfo).port}`,
  root: '/srv/files',
  token: 'kf_x',
});
const server = (changes: Partial<SftpgoSettings> = {}, now?: () => number) =>
  new SftpgoServer({ ...installed, ...changes }, now);
const logIn = (sftpgo: SftpgoServer, username: string, password = 'pw') => sftpgo.logIn('SSH', username, { password });

beforeEach(() => {
  asked.length = 0;
  held = Promise.resolve();
  home = '/srv/files';
});

/** Each title names a fact and how it was observed with the real program. */
describe('the double of SFTPGo does as 2.7.5 on SQLite, which', () => {
  it('posts to the hook for every WebDAV request (3 PROPFIND on one connection: 3 posts)', async () => {
    const sftpgo = server();
    for (let n = 0; n < 3; n++) expect(await sftpgo.webdavRequest('ann', 'pw')).toMatchObject({ user: { status: 1 } });
    expect(asked).toHaveLength(3);
    expect(await sftpgo.webdavRequest('ann', 'wrong')).toBe('refused');
  });

  it.each([
    [0, 48 * 60, true],
    [1, 0.9, true],
    [1, 1.1, false],
  ])(
    'with a cache of %d minutes has a lock of %d minutes ago: %j (LOCK, then PUT without its token: 423 or 201)',
    async (webdavCache, minutes, isKept) => {
      let now = 0;
      const sftpgo = server({ webdavCache }, () => now);
      const locks = async () => {
        const answer = await sftpgo.webdavRequest('ann', 'pw');
        return typeof answer === 'string' ? answer : answer.locks;
      };
      const first = await locks();
      now += minutes * 60_000;
      expect((await locks()) === first).toBe(isKept);
      home = '/srv/files/moved';
      expect(await locks()).not.toBe(first);
    },
  );

  it('adds a user after the hook, so that one of eight first logins at once succeeds ("UNIQUE constraint failed: users.username")', async () => {
    const sftpgo = server();
    let release!: () => void;
    held = new Promise((resolve) => (release = resolve));
    const logins = Array.from({ length: 8 }, () => logIn(sftpgo, 'ann'));
    await expect.poll(() => asked.length).toBe(8);
    release();
    const outcomes = await Promise.all(logins);
    expect(outcomes.filter((each) => typeof each === 'object')).toHaveLength(1);
    expect(outcomes.filter((each) => each === 'user exists')).toHaveLength(7);
    for (const each of await Promise.all(Array.from({ length: 8 }, () => logIn(sftpgo, 'ann'))))
      expect(each).toMatchObject({ username: 'ann' });
  });

  it('with bcrypt refuses a password of 73 bytes ("bcrypt: password length exceeds 72 bytes"), and with argon2id none', async () => {
    const outcomes = (passwordHash: SftpgoSettings['passwordHash']) =>
      Promise.all([72, 73].map((length) => logIn(server({ passwordHash }), 'ann', 'x'.repeat(length))));
    expect(await outcomes('bcrypt')).toEqual([
      expect.objectContaining({ username: 'ann' }),
      'password longer than 72 bytes',
    ]);
    expect(await outcomes('argon2id')).toEqual([
      expect.objectContaining({ username: 'ann' }),
      expect.objectContaining({ username: 'ann' }),
    ]);
  });

  it.each(SFTPGO_NAMES.filter(([name]) => name !== ''))('accepts the name %j: %j', async (name, isAccepted) => {
    const outcome = await logIn(server(), name);
    expect(outcome).toEqual(isAccepted ? expect.objectContaining({ username: name }) : 'name not accepted');
  });
});

it('its REST API closes a session once (DELETE /api/v2/connections/…: 200, then 404) and refuses a key with a wrong end (401)', async () => {
  const api = await SftpgoApi.start('key');
  const id = api.add('SFTP', 'ann');
  const ask = async (method: string, path: string, key: string) =>
    (await fetch(`${api.url}/api/v2/connections${path}`, { method, headers: { 'x-sftpgo-api-key': key } })).status;
  expect(await ask('GET', '', 'keyx')).toBe(401);
  expect(await ask('GET', '', 'key')).toBe(200);
  for (const status of [200, 404]) expect(await ask('DELETE', `/${encodeURIComponent(id)}`, 'key')).toBe(status);
});

it('the users in advance are enabled accounts whose names SFTPGo accepts, and nobody can log in as one before Keyfold answers', () => {
  const accounts = SFTPGO_NAMES.map(([username]) => ({ username, disabled: false, basePath: '/x' }));
  const users = loadedUsers([...accounts, { username: 'gone', disabled: true, basePath: '/' }]);
  expect(users.map(({ username }) => username)).toEqual(SFTPGO_NAMES.flatMap(([name, is]) => (is ? [name] : [])));
  for (const user of users)
    expect(user).toEqual({
      username: user.username,
      status: 0,
      home_dir: '/nonexistent',
      permissions: { '/': ['list'] },
    });
});
