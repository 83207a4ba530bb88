import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deleteAccount, updateAccount } from '../support/account-changes.js';
import { accountNamed, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { appPasswordsOf, newAppPassword } from '../support/app-passwords.js';
import { eventually } from '../support/eventually.js';
import { logLines } from '../support/log-lines.js';
import { SFTP, servedLogins, WEBDAV } from '../support/openssh/file-servers.js';
import { expectNoStaleLogins, ownerName } from '../support/stale-reads/app-password-logins.js';
import { storedCommits } from '../support/stored-data.js';
import { staticHash } from '../support/static-hash.js';
import { codeNow, enrol } from '../support/two-factor.js';

// The servers port belongs to one thread, and most changes happen in another.
const { app, api, admin, servers } = await servedLogins({ KEYFOLD_THREADS: '4' });

async function newOwner(username: string, permission = WEBDAV | SFTP): Promise<ApiClient> {
  await createAccount(admin, username, { permission });
  return signedInAs(api, username);
}
const logIn = (username: string, password: string, fields: object = {}) =>
  servers.post('/logins', { protocol: 'webdav', username, password, address: newAddress(), ...fields });
const factorsOf = async (...login: Parameters<typeof logIn>) =>
  (await logIn(...login)).data<{ factors: string[] }>().factors;
const REFUSED = { account: null, factors: [] };

describe('an app password', () => {
  it('opens a login without a code, however it is typed, for an account with and without two-factor', async () => {
    const owner = await newOwner('plain');
    const { password } = await newAppPassword(owner);
    const { id } = await accountNamed(admin, 'plain');
    for (const typed of [password, password.toUpperCase(), password.replaceAll('-', ''), password.replaceAll('-', ' ')])
      expect((await logIn('plain', typed)).data()).toMatchObject({ account: { id }, factors: ['app-password'] });
    const secret = await enrol(owner);
    expect(await factorsOf('plain', password)).toEqual(['app-password']);
    expect(await factorsOf('plain', password, { code: '' })).toEqual(['app-password']);
    // A code that comes along is not used up.
    expect(await factorsOf('plain', password, { code: codeNow(secret, 1) })).toEqual(['app-password']);
    expect(await factorsOf('plain', 'pw-plain', { code: codeNow(secret, 1) })).toEqual(['password', 'one-time-code']);
    expect(await factorsOf('plain', `pw-plain${codeNow(secret, 2)}`)).toEqual([]);
  });

  it('forgives no wrong passwords, which a success with the password does', async () => {
    const { password } = await newAppPassword(await newOwner('leaking'));
    const address = newAddress();
    for (let n = 0; n < 4; n++) {
      expect(await factorsOf('leaking', `${n}`, { address })).toEqual([]);
      expect(await factorsOf('leaking', password, { address })).toEqual(['app-password']);
    }
    expect(await factorsOf('leaking', '4', { address })).toEqual([]);
    expect((await logIn('leaking', 'pw-leaking', { address })).status).toBe(429);
    expect((await api.from(address).logIn('leaking', 'pw-leaking')).code).toBe(429);
    expect(await factorsOf('leaking', 'pw-leaking')).toEqual(['password']);
  });

  it('opens its protocol only, and only with the permission of the account', async () => {
    const owner = await newOwner('limited');
    const each = await Promise.all(
      ['sftp', 'webdav', 'ftp', 'any'].map(async (protocol) => (await newAppPassword(owner, { protocol })).password),
    );
    const opened = [];
    for (const protocol of ['sftp', 'webdav', 'ftp']) {
      const factors = await Promise.all(each.map((password) => factorsOf('limited', password, { protocol })));
      opened.push(factors.map(({ length }) => length));
    }
    expect(opened).toEqual([
      [1, 0, 0, 1],
      [0, 1, 0, 1],
      [0, 0, 1, 1],
    ]);
    await updateAccount(admin, 'limited', { permission: SFTP });
    expect((await logIn('limited', each[3]!)).data()).toEqual({ ...REFUSED, not_permitted: true });
    expect(await factorsOf('limited', each[3]!, { protocol: 'ftp' })).toEqual(['app-password']);
  });

  it('opens no login of the API, nor any other account', async () => {
    const owner = await newOwner('inward');
    await newOwner('neighbour');
    const { password } = await newAppPassword(owner);
    const outcomeOf = async (text: string) => (await api.from(newAddress()).logIn('inward', text)).outcome;
    const wrong = await outcomeOf('wrong');
    for (const text of [password, password.replaceAll('-', ''), staticHash(password)])
      expect(await outcomeOf(text)).toBe(wrong);
    const hashed = { username: 'inward', password: staticHash(password) };
    expect((await api.from(newAddress()).post('/api/auth/login/hash', hashed)).outcome).toBe(wrong);
    expect((await api.as(password).get('/api/me')).outcome).toBe('401 token is invalidated');
    expect((await logIn('neighbour', password)).data()).toEqual(REFUSED);
  });

  it('is not permitted while its account is disabled, and refused like a wrong password for good once it is deleted', async () => {
    const owner = await newOwner('leaver');
    const { password } = await newAppPassword(owner);
    await updateAccount(admin, 'leaver', { disabled: true });
    expect((await logIn('leaver', password)).data()).toEqual({ ...REFUSED, not_permitted: true });
    await updateAccount(admin, 'leaver', { disabled: false });
    expect(await factorsOf('leaver', password)).toEqual(['app-password']);
    const id = await deleteAccount(admin, 'leaver');
    expect((await logIn('leaver', password)).data()).toEqual(REFUSED);
    await newOwner('leaver');
    expect((await logIn('leaver', password)).data()).toEqual(REFUSED);
    expect((await admin.get(`/api/admin/app_password/list?user_id=${id}`)).data()).toEqual({ content: [], total: 0 });
  });

  it('survives a new password, a new name and a logout of its account', async () => {
    const owner = await newOwner('renamed');
    const { password } = await newAppPassword(owner);
    await owner.get('/api/auth/logout');
    await updateAccount(admin, 'renamed', { username: 'renamed2', password: 'n3w-pass' });
    expect(await factorsOf('renamed2', password)).toEqual(['app-password']);
  });

  it('is refused from its expiry on, and an operator sees the attempt', async () => {
    const owner = await newOwner('punctual');
    const expires = new Date(Date.now() + 1_500).toISOString();
    const { id, password } = await newAppPassword(owner, { expires });
    expect(await factorsOf('punctual', password)).toEqual(['app-password']);
    await sleep(1_600);
    // The log has at most five lines for a network.
    expect((await logIn('punctual', password, { address: '203.0.113.7' })).data()).toEqual(REFUSED);
    expect(await appPasswordsOf(owner)).toEqual([expect.objectContaining({ id, expires, expired: true })]);
    await eventually(() =>
      expect(logLines(app.output()).map(({ event }) => event)).toContain(`authn_token_fail:app_password,${id}`),
    );
  });

  it('shows when it was last used', async () => {
    const owner = await newOwner('active');
    const { password } = await newAppPassword(owner);
    expect((await appPasswordsOf(owner))[0]!.last_used).toBeNull();
    const before = Date.now();
    await factorsOf('active', password);
    await eventually(async () => {
      const [{ last_used } = { last_used: null }] = await appPasswordsOf(owner);
      expect(Date.parse(last_used!)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
    });
  });

  it('opens logins without an event and without a session', async () => {
    const owner = await newOwner('quiet');
    const { password } = await newAppPassword(owner);
    const before = storedCommits(app.dataDir).length;
    for (let n = 0; n < 3; n++) expect(await factorsOf('quiet', password)).toEqual(['app-password']);
    expect(storedCommits(app.dataDir)).toHaveLength(before);
  });

  it('that is wrong counts like a wrong password', async () => {
    await newOwner('guessed');
    const address = newAddress();
    const guesses = Array.from({ length: 6 }, (_, n) => `7k3m-9qxa-0b2c-d4ef-5gh${n}`);
    const statuses = [];
    for (const guess of guesses) statuses.push((await logIn('guessed', guess, { address })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

it('an app password works in every thread from its creation on, and in none from its revocation on', async () => {
  const signIn = async (account: number): Promise<[ApiClient, ApiClient]> => [
    await newOwner(ownerName(account)),
    await signedInAs(api, ownerName(account)),
  ];
  await expectNoStaleLogins(signIn, [servers, servers]);
});
