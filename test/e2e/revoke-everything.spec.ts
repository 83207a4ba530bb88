import { describe, expect, it } from 'vitest';
import { newAccessToken, tokensOf } from '../support/access-tokens.js';
import { accountNamed, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { appPasswordsOf, newAppPassword } from '../support/app-passwords.js';
import { newKeyLine } from '../support/key-line.js';
import { servedLogins, WEBDAV } from '../support/openssh/file-servers.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';

// Each request has its own connection, so the requests of a race meet in several threads.
const { api, admin, servers } = await servedLogins({ KEYFOLD_THREADS: '4' });

const EVERYTHING = '/api/me/revoke-everything';
const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;

/** Creates an account with two sessions, an access token, an app password and an SSH key. */
async function newOwner(username: string) {
  const { id } = await createAccount(admin, username, { permission: WEBDAV });
  const [session, other] = [await signedInAs(api, username), await signedInAs(api, username)];
  const program = await newAccessToken(session, ['profile:read']);
  const { password } = await newAppPassword(session);
  (await session.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line })).data();
  const opensFiles = async () => {
    const login = { protocol: 'webdav', username, password, address: newAddress() };
    return (await servers.post('/logins', login)).data<{ factors: string[] }>().factors.length > 0;
  };
  return { id, username, session, other, program: program.client, opensFiles };
}
type Owner = Awaited<ReturnType<typeof newOwner>>;

async function expectRevoked(
  { username, session, other, program, opensFiles }: Owner,
  ended: string,
  password?: string,
) {
  expect([await outcomeFor(session), await outcomeFor(other)]).toEqual([ended, ended]);
  expect(await outcomeFor(program)).toBe('401 token is invalidated');
  expect(await opensFiles()).toBe(false);
  const again = await api.from(newAddress()).signedIn(username, password ?? `pw-${username}`);
  expect([await tokensOf(again), await appPasswordsOf(again)]).toEqual([[], []]);
  expect(await listedKeysOf(again)).toHaveLength(1);
}

describe('revoking everything', () => {
  it('ends all sessions, access tokens and app passwords of the caller, and says that the caller is logged out', async () => {
    const [owner, bystander] = [await newOwner('ann'), await newOwner('bea')];
    expect(await owner.opensFiles()).toBe(true);
    expect((await owner.session.post(EVERYTHING)).data()).toEqual({ logged_out: true });
    await expectRevoked(owner, '401 token is invalidated');
    const clients = [bystander.session, bystander.program];
    for (const client of clients) expect(await outcomeFor(client)).toBe('200 success');
    expect(await bystander.opensFiles()).toBe(true);
  });

  it('does the same on behalf of an administrator', async () => {
    const owner = await newOwner('cid');
    expect((await admin.post(`/api/admin/user/revoke-everything?id=${owner.id}`)).outcome).toBe('200 success');
    await expectRevoked(owner, '401 token is invalidated');
  });

  it('leaves no secret that a creation at the same time showed', async () => {
    const owner = await newOwner('dan');
    const create = async (n: number) => {
      const body = { name: `late ${n}`, scopes: ['profile:read'] };
      return owner.other.post('/api/me/tokens', body);
    };
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, (_, n) => create(n))),
      owner.session.post(EVERYTHING),
    ]);
    for (const answer of answers) {
      if (answer.code !== 200) expect(answer.outcome).toBe('401 token is invalidated');
      else expect(await outcomeFor(api.as(answer.data<{ token: string }>().token))).toBe('401 token is invalidated');
    }
    await expectRevoked(owner, '401 token is invalidated');
  });
});

describe('a new password', () => {
  const CHANGED = '401 Password has been changed, login please';

  it('revokes access tokens and app passwords if its owner wants it', async () => {
    const owner = await newOwner('eve');
    const change = { username: 'eve', password: 'n3w-pass', revoke_secrets: true };
    expect((await owner.session.post('/api/me/update', change)).outcome).toBe('200 success');
    await expectRevoked(owner, CHANGED, 'n3w-pass');
  });

  it('does the same if an administrator sets it', async () => {
    const owner = await newOwner('fay');
    const account = { ...(await accountNamed(admin, 'fay')), password: 'n3w-pass', revoke_secrets: true };
    expect((await admin.post('/api/admin/user/update', account)).outcome).toBe('200 success');
    await expectRevoked(owner, CHANGED, 'n3w-pass');
  });

  it.each([{}, { revoke_secrets: false }])('revokes nothing with %o', async (fields) => {
    const username = `gus ${Object.keys(fields).length}`;
    const owner = await newOwner(username);
    const change = { username, password: 'n3w-pass', ...fields };
    expect((await owner.session.post('/api/me/update', change)).outcome).toBe('200 success');
    expect(await outcomeFor(owner.program)).toBe('200 success');
    expect(await owner.opensFiles()).toBe(true);
  });
});

it('a change without a new password can revoke them as well', async () => {
  const owner = await newOwner('hal');
  const change = { username: 'hal', revoke_secrets: true };
  expect((await owner.session.post('/api/me/update', change)).outcome).toBe('200 success');
  expect(await outcomeFor(owner.session)).toBe('200 success');
  expect(await outcomeFor(owner.program)).toBe('401 token is invalidated');
  expect(await owner.opensFiles()).toBe(false);
});
