import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newAccessToken, tokensOf, type ShownToken } from '../support/access-tokens.js';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken, storedCommits } from '../support/stored-data.js';
import { enrol } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;
const edit = async (name: string, fields: object) =>
  (await admin.post('/api/admin/user/update', { ...(await accountNamed(admin, name)), ...fields })).data();
const create = (client: ApiClient, body: object) => client.post('/api/me/tokens', body);

describe('an access token', () => {
  it('is shown once, in a form that secret scanners find', async () => {
    const member = await newMember(admin, 'maker');
    const answer = await create(member, { name: 'backup', scopes: ['keys:manage', 'profile:read'], expires: null });
    const { token, ...shown } = answer.data<ShownToken & { token: string }>();
    expect(token).toMatch(/^kf_[0-9A-Za-z]{42}$/);
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'backup',
      scopes: ['profile:read', 'keys:manage'],
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expires: null,
      last_used: null,
      expired: false,
    });
    const list = await member.get('/api/me/tokens');
    expect(list.data()).toEqual([shown]);
    expect(list.text).not.toContain(token);
  });

  it('works wherever its scopes allow it, with and without Bearer, and without a second factor', async () => {
    const member = await newMember(admin, 'careful');
    const { token } = await newAccessToken(member, ['profile:read', 'keys:manage']);
    await enrol(member);
    for (const header of [token, `Bearer ${token}`]) {
      const program = api.as(header);
      expect((await program.get('/api/me')).data()).toMatchObject({ username: 'careful' });
      const title = `by ${header.slice(0, 6)}`;
      expect((await program.post('/api/me/sshkey/add', { title, key: newKeyLine().line })).outcome).toBe('200 success');
      expect((await program.get('/api/me/sshkey/list')).text).toContain(title);
    }
  });

  it('is named by the commits that it causes', async () => {
    const member = await newMember(admin, 'traced');
    const { client, id } = await newAccessToken(member, ['keys:manage']);
    await client.post('/api/me/sshkey/add', { title: 'traced', key: newKeyLine().line });
    const account = await accountNamed(admin, 'traced');
    const commit = storedCommits(app.dataDir).findLast(({ stream }) => stream === `ssh-keys-${account.id}`);
    expect(commit).toMatchObject({ actor: `access-token:${account.id}:${id}` });
    expect(commit).not.toHaveProperty('session');
  });

  it('survives a logout, a new password and a new name of its account', async () => {
    const member = await newMember(admin, 'renamed');
    const { client } = await newAccessToken(member, ['profile:read']);
    (await member.post('/api/me/update', { username: 'renamed2', password: 'n3w-pass' })).data();
    expect((await client.get('/api/me')).data()).toMatchObject({ username: 'renamed2' });
  });

  it('is refused while its account is disabled, and for good once it is deleted', async () => {
    const member = await newMember(admin, 'leaver');
    const { client } = await newAccessToken(member, ['profile:read']);
    await edit('leaver', { disabled: true });
    expect(await outcomeFor(client)).toBe('401 Current user is disabled, replace please');
    await edit('leaver', { disabled: false });
    expect(await outcomeFor(client)).toBe('200 success');
    const { id } = await accountNamed(admin, 'leaver');
    (await admin.post(`/api/admin/user/delete?id=${id}`)).data();
    expect(await outcomeFor(client)).toBe('401 failed find user: record not found');
    const { content } = (await admin.get('/api/admin/token/list')).data<{ content: { user_id: number }[] }>();
    expect(content.map(({ user_id }) => user_id)).not.toContain(id);
    expect((await admin.get(`/api/admin/token/list?user_id=${id}`)).data()).toEqual({ content: [], total: 0 });
  });

  it('is refused from its expiry on, stays in the list and gives its name away', async () => {
    const member = await newMember(admin, 'punctual');
    const expires = new Date(Date.now() + 1_500).toISOString();
    const { client, id } = await newAccessToken(member, ['profile:read'], { name: 'short', expires });
    expect(await outcomeFor(client)).toBe('200 success');
    await sleep(1_600);
    expect(await outcomeFor(client)).toBe('401 token is expired');
    expect(await tokensOf(member)).toEqual([expect.objectContaining({ id, expires, expired: true })]);
    const renewed = await newAccessToken(member, ['profile:read'], { name: 'short' });
    expect(await tokensOf(member)).toEqual([expect.objectContaining({ id: renewed.id, expired: false })]);
    expect(await outcomeFor(client)).toBe('401 token is invalidated');
    expect(await outcomeFor(renewed.client)).toBe('200 success');
  });

  it('is refused once it is revoked, and so it stays after restarts and crashes', async () => {
    const member = await newMember(admin, 'survivor');
    const [kept, revoked] = [
      await newAccessToken(member, ['profile:read']),
      await newAccessToken(member, ['profile:read']),
    ];
    expect(await outcomeFor(revoked.client)).toBe('200 success');
    (await member.post('/api/me/tokens/revoke', { id: revoked.id })).data();
    expect(await outcomeFor(revoked.client)).toBe('401 token is invalidated');
    for (const end of ['stop', 'kill'] as const) {
      await app[end]();
      await app.restart();
      expect(await outcomeFor(kept.client)).toBe('200 success');
      expect(await outcomeFor(revoked.client)).toBe('401 token is invalidated');
    }
    expect((await member.post('/api/me/tokens/revoke', { id: revoked.id })).outcome).toBe(
      '404 failed to find access token',
    );
  });

  it('of another account cannot be revoked, except by an administrator', async () => {
    const [owner, other] = [await newMember(admin, 'owner'), await newMember(admin, 'other')];
    const { id, client } = await newAccessToken(owner, ['profile:read']);
    expect((await other.post('/api/me/tokens/revoke', { id })).outcome).toBe('404 failed to find access token');
    expect((await other.post('/api/admin/token/revoke', { id })).outcome).toBe('403 You are not an admin');
    expect(await outcomeFor(client)).toBe('200 success');
    expect((await admin.post('/api/admin/token/revoke', { id })).outcome).toBe('200 success');
    expect(await outcomeFor(client)).toBe('401 token is invalidated');
  });

  it('shows when it was last used', async () => {
    const member = await newMember(admin, 'active');
    const { client } = await newAccessToken(member, ['profile:read']);
    expect((await tokensOf(member))[0]!.last_used).toBeNull();
    const before = Date.now();
    await client.get('/api/me');
    await eventually(async () => {
      const [{ last_used } = { last_used: null }] = await tokensOf(member);
      expect(Date.parse(last_used!)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
    });
  });

  it('with other digits is refused', async () => {
    const { token } = await newAccessToken(await newMember(admin, 'guessed'), ['profile:read']);
    const last = token.endsWith('0') ? '1' : '0';
    const others = [
      token.slice(0, -1) + last,
      token.slice(0, -1),
      `${token}0`,
      token.toUpperCase(),
      'kf_',
      `Basic ${token}`,
    ];
    for (const other of others) expect(await outcomeFor(api.as(other)), other).toBe('401 token is invalidated');
  });
});

describe('the list of all access tokens', () => {
  it('shows the accounts that have tokens in pages, without secrets', async () => {
    const tokens = [];
    for (const name of ['lister1', 'lister2']) {
      const member = await newMember(admin, name);
      tokens.push(await newAccessToken(member, ['profile:read']), await newAccessToken(member, ['keys:manage']));
    }
    const answer = await admin.get('/api/admin/token/list');
    const { content, total } = answer.data<{
      content: { user_id: number; username: string; tokens: ShownToken[] }[];
      total: number;
    }>();
    for (const { token } of tokens) expect(answer.text).not.toContain(token.slice(12, 39));
    expect(answer.text).not.toContain('hash');
    for (const [at, name] of ['lister1', 'lister2'].entries()) {
      const owner = content.find(({ username }) => username === name)!;
      expect(owner.tokens.map(({ id }) => id)).toEqual(tokens.slice(2 * at, 2 * at + 2).map(({ id }) => id));
      const { id } = await accountNamed(admin, name);
      expect((await admin.get(`/api/admin/token/list?user_id=${id}`)).data()).toEqual({ content: [owner], total: 1 });
    }
    const pages = [];
    for (let page = 1; page <= total; page++) {
      pages.push(
        ...(await admin.get(`/api/admin/token/list?per_page=1&page=${page}`)).data<{ content: object[] }>().content,
      );
    }
    expect(pages).toEqual(content);
  });

  it('leaves an account whose tokens were all revoked', async () => {
    const member = await newMember(admin, 'emptied');
    const { id } = await newAccessToken(member, ['profile:read']);
    expect((await admin.get('/api/admin/token/list')).text).toContain('emptied');
    await member.post('/api/me/tokens/revoke', { id });
    expect((await admin.get('/api/admin/token/list')).text).not.toContain('emptied');
  });

  it.each(['per_page=0', 'per_page=1001', 'page=x', 'user_id=-1', 'uid=3'])('refuses %s', async (query) => {
    expect((await admin.get(`/api/admin/token/list?${query}`)).code).toBe(400);
  });
});

describe('a creation', () => {
  it('names every wrong field at once', async () => {
    const answer = await create(admin, { name: '', scopes: ['fly'], expires: 'never', expire: null });
    expect(answer.outcome.split('\n')).toEqual([
      '400 name must be longer than or equal to 1 characters',
      expect.stringContaining('each value in scopes must be one of the following values: profile:read, keys:manage'),
      'expires must be an RFC 3339 time such as 2027-01-31T12:00:00Z',
      'unknown field "expire"',
    ]);
  });

  it.each([
    ['a name that is too long', { name: 'a'.repeat(101) }, 'name must be shorter'],
    ['a name of too many bytes', { name: '<\uFE0F'.repeat(100) }, 'the name is too long'],
    ['no scopes', { scopes: [] }, 'scopes should not be empty'],
    ['one scope twice', { scopes: ['profile:read', 'profile:read'] }, "All scopes's elements must be unique"],
    ['an expiry in the past', { expires: '2020-01-01T00:00:00Z' }, 'expires must be in the future'],
    ['a distant expiry', { expires: '2099-01-01T00:00:00Z' }, 'expires must be in the future'],
  ])('with %s is refused', async (_, fields, message) => {
    const answer = await create(admin, { name: 'refused', scopes: ['profile:read'], expires: null, ...fields });
    expect(answer.outcome).toMatch(/^400 /);
    expect(answer.outcome).toContain(message);
  });

  it('with the name of another token is refused', async () => {
    const member = await newMember(admin, 'namer');
    await newAccessToken(member, ['profile:read'], { name: 'backup' });
    const again = { name: 'backup', scopes: ['profile:read'], expires: null };
    expect((await create(member, again)).outcome).toBe('400 an access token with the same name already exists');
    expect(await tokensOf(member)).toHaveLength(1);
  });

  it('with a scope of administrators is refused for others', async () => {
    const member = await newMember(admin, 'ambitious');
    for (const scope of ['accounts:read', 'accounts:manage', 'settings:read', 'keys:look-up', 'logins:verify']) {
      const answer = await create(member, { name: scope, scopes: ['profile:read', scope], expires: null });
      expect(answer.outcome).toBe(`403 only administrators can give the scope ${scope}`);
    }
    expect(await tokensOf(member)).toEqual([]);
  });

  it('is refused for the guest, the static token and access tokens', async () => {
    const body = { name: 'x', scopes: ['profile:read'], expires: null };
    await edit('guest', { disabled: false, password: 'guest-pass' });
    for (const guest of [api, await api.signedIn('guest', 'guest-pass')]) {
      const answers = [
        await create(guest, body),
        await guest.get('/api/me/tokens'),
        await guest.post('/api/me/tokens/revoke', { id: 2_097_153 }),
      ];
      for (const { outcome } of answers) expect(outcome).toBe('403 Guest user can not have access tokens');
    }
    await edit('guest', { disabled: true });
    expect((await create(api.as(storedStaticToken(app.dataDir)), body)).outcome).toBe(
      '403 the static token can not create access tokens, log in instead',
    );
    const { client } = await newAccessToken(admin, ['accounts:manage', 'settings:read', 'keys:manage']);
    expect((await create(client, body)).outcome).toBe('403 access tokens are not accepted here, log in instead');
  });
});
