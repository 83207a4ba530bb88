import { describe, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { enrol } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;

/** Sends an account as the admin, with some fields changed. */
async function edit(name: string, fields: object): Promise<void> {
  (await admin.post('/api/admin/user/update', { ...(await accountNamed(admin, name)), ...fields })).data();
}

async function remove(name: string): Promise<void> {
  const { id } = await accountNamed(admin, name);
  (await admin.post(`/api/admin/user/delete?id=${id}`)).data();
}

describe('a session', () => {
  it('survives restarts and crashes, and so does its end', async () => {
    const member = await newMember(admin, 'survivor');
    const ended = await signedInAs(api, 'survivor');
    await ended.get('/api/auth/logout');
    for (const end of ['stop', 'kill'] as const) {
      await app[end]();
      await app.restart();
      expect(await outcomeFor(member)).toBe('200 success');
      expect(await outcomeFor(ended)).toBe('401 token is invalidated');
    }
  });

  it('ends with its logout, while others continue', async () => {
    const here = await newMember(admin, 'traveller');
    const there = await signedInAs(api, 'traveller');
    expect((await here.get('/api/auth/logout')).outcome).toBe('200 success');
    expect(await outcomeFor(here)).toBe('401 token is invalidated');
    expect(await outcomeFor(there)).toBe('200 success');
  });

  it('is separate for two logins in one second', async () => {
    await createAccount(admin, 'twin');
    const [one, other] = await Promise.all([signedInAs(api, 'twin'), signedInAs(api, 'twin')]);
    expect(one.token).not.toBe(other.token);
    await one.get('/api/auth/logout');
    expect(await outcomeFor(other)).toBe('200 success');
  });

  it('rejects tokens that were changed or made elsewhere', async () => {
    const { token } = await newMember(admin, 'forged');
    const [head, claims, signature] = token.split('.');
    const asAdmin = Buffer.from(Buffer.from(claims!, 'base64url').toString().replace('forged', 'admin'));
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const forgeries = [
      `${head}.${asAdmin.toString('base64url')}.${signature}`,
      `${none}.${claims}.`,
      `${none}.${claims}.${signature}`,
      `${token}x`,
      token.slice(0, -1),
    ];
    for (const forgery of forgeries) expect(await outcomeFor(api.as(forgery))).toBe('401 token is invalidated');
  });
});

describe('other sessions of an account end at once', () => {
  it('when it changes its password, as does the current one', async () => {
    const here = await newMember(admin, 'changer');
    const there = await signedInAs(api, 'changer');
    await here.post('/api/me/update', { username: 'changer', password: 'n3w-pass' });
    for (const client of [here, there]) {
      expect(await outcomeFor(client)).toBe('401 Password has been changed, login please');
    }
    expect(await outcomeFor(await api.signedIn('changer', 'n3w-pass'))).toBe('200 success');
    expect((await api.logIn('changer', 'pw-changer')).code).toBe(401);
  });

  it('when an administrator changes its password', async () => {
    const member = await newMember(admin, 'reset');
    await edit('reset', { password: 'n3w-pass' });
    expect(await outcomeFor(member)).toBe('401 Password has been changed, login please');
  });

  it('while it is disabled, and continue afterwards', async () => {
    const member = await newMember(admin, 'suspended');
    await edit('suspended', { disabled: true });
    expect(await outcomeFor(member)).toBe('401 Current user is disabled, replace please');
    expect((await api.logIn('suspended', 'pw-suspended')).outcome).toBe('401 Invalid username or password');
    await edit('suspended', { disabled: false });
    expect(await outcomeFor(member)).toBe('200 success');
  });

  it('when it is renamed', async () => {
    const member = await newMember(admin, 'maiden');
    await edit('maiden', { username: 'married' });
    expect(await outcomeFor(member)).toBe('401 failed find user: record not found');
    expect((await api.logIn('maiden', 'pw-maiden')).code).toBe(401);
    expect((await api.logIn('married', 'pw-maiden')).code).toBe(200);
  });

  it('when it is deleted', async () => {
    const member = await newMember(admin, 'leaver');
    await remove('leaver');
    expect(await outcomeFor(member)).toBe('401 failed find user: record not found');
    expect((await api.logIn('leaver', 'pw-leaver')).code).toBe(401);
  });

  it('but not when something else changes', async () => {
    const member = await newMember(admin, 'steady');
    await edit('steady', { base_path: '/home', permission: 1 });
    await enrol(member);
    expect(await outcomeFor(member)).toBe('200 success');
  });
});

describe('a name that becomes free', () => {
  it('goes to a new account without keys, and the old tokens stay invalid', async () => {
    const old = await newMember(admin, 'phoenix');
    const { id } = await accountNamed(admin, 'phoenix');
    const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(42)}E`;
    await old.post('/api/me/sshkey/add', { title: 'old', key });
    await remove('phoenix');
    expect((await admin.get(`/api/admin/user/sshkey/list?uid=${id}`)).outcome).toBe('404 user invalid');
    const young = await newMember(admin, 'phoenix');
    expect((await accountNamed(admin, 'phoenix')).id).toBeGreaterThan(id);
    expect(await outcomeFor(old)).toBe('401 failed find user: record not found');
    expect((await young.get('/api/me/sshkey/list')).data()).toEqual({ content: [], total: 0 });
    await app.restart();
    expect(await outcomeFor(old)).toBe('401 failed find user: record not found');
    expect(await outcomeFor(young)).toBe('200 success');
  });

  it('goes to the first to ask and to nobody else', async () => {
    await createAccount(admin, 'prize');
    await remove('prize');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.post('/api/admin/user/create', { username: 'prize', password: `pw-${index}` }),
      ),
    );
    const outcomes = answers.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === '200 success')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === '500 user name already exists')).toHaveLength(9);
  });
});
