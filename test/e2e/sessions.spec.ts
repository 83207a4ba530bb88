import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { enrol } from '../support/two-factor.js';

let app: StandaloneProcess;
let api: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  api = new ApiClient(app.baseUrl);
  admin = await adminOf(api);
});

afterAll(() => app.dispose());

const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;

/** The admin sends the account back with other values of some fields. */
async function edit(name: string, fields: object): Promise<void> {
  (await admin.post('/api/admin/user/update', { ...(await accountNamed(admin, name)), ...fields })).data();
}

async function remove(name: string): Promise<void> {
  const { id } = await accountNamed(admin, name);
  (await admin.post(`/api/admin/user/delete?id=${id}`)).data();
}

describe('a session', () => {
  it('survives a restart and a crash, and so does its end', async () => {
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

  it('ends with its logout, and the others go on', async () => {
    const here = await newMember(admin, 'traveller');
    const there = await signedInAs(api, 'traveller');
    expect((await here.get('/api/auth/logout')).outcome).toBe('200 success');
    expect(await outcomeFor(here)).toBe('401 token is invalidated');
    expect(await outcomeFor(there)).toBe('200 success');
  });

  it('is one of its own for each of two logins in one second', async () => {
    await createAccount(admin, 'twin');
    const [one, other] = await Promise.all([signedInAs(api, 'twin'), signedInAs(api, 'twin')]);
    expect(one.token).not.toBe(other.token);
    await one.get('/api/auth/logout');
    expect(await outcomeFor(other)).toBe('200 success');
  });

  it('takes no token that was changed or made elsewhere', async () => {
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
  it('when it changes its password, with the one that did it', async () => {
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

  it('while it is disabled, and go on afterwards', async () => {
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

  it('not when something else of it changes', async () => {
    const member = await newMember(admin, 'steady');
    await edit('steady', { base_path: '/home', permission: 1 });
    await enrol(member);
    expect(await outcomeFor(member)).toBe('200 success');
  });
});

describe('a name that was free again', () => {
  it('belongs to a new account without keys, and tokens of the old one stay dead', async () => {
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

  it('belongs to who asked first, and to nobody else', async () => {
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
