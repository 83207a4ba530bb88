import { accessTokenScopes, isAdminScope } from '@keyfold/domain';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { newAccessToken, type ShownToken, tokensOf } from '../support/access-tokens.js';
import { deleteAccount, updateAccount } from '../support/account-changes.js';
import { accountNamed, adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { newKeyLine } from '../support/key-line.js';
import { sessionIdOf } from '../support/listed-sessions.js';
import { sharedApp } from '../support/shared-app.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';
import { storedStaticToken, storedCommits } from '../support/stored-data.js';
import { enrol } from '../support/two-factor.js';

// Each request has its own connection, so the requests of a race meet in several threads.
const app = await sharedApp({ KEYFOLD_THREADS: '4' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;
const create = (client: ApiClient, body: object) => client.post('/api/me/tokens', body);

it('the log, the metrics and the stored events contain no access token, not even a refused one', async () => {
  const { token } = await newAccessToken(await newMember(admin, 'logged'), ['profile:read']);
  const unknown = `kf_${'0'.repeat(42)}`;
  for (const each of [token, `Bearer ${token}`, unknown]) await api.as(each).get('/api/admin/user/list');
  await api.as(token).post('/api/me/sshkey/add', { title: token, key: token });
  expect(app.output()).toContain('authn_token_created:');
  expect(app.output()).toContain('authn_token_fail:access');
  for (const secret of [token.slice(12), unknown]) expect(app.output()).not.toContain(secret);
  const managementUrl = await vi.waitFor(() => app.managementUrl, 30_000);
  expect(await (await fetch(`${managementUrl}/metrics`)).text()).not.toContain('kf_');
  expect(JSON.stringify(storedCommits(app.dataDir))).not.toContain(token.slice(12, 39));
});

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
    await updateAccount(admin, 'leaver', { disabled: true });
    expect(await outcomeFor(client)).toBe('401 Current user is disabled, replace please');
    await updateAccount(admin, 'leaver', { disabled: false });
    expect(await outcomeFor(client)).toBe('200 success');
    const id = await deleteAccount(admin, 'leaver');
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

  it('refuses a wrong query', async () => {
    for (const query of ['per_page=0', 'per_page=1001', 'page=x', 'user_id=-1', 'uid=3'])
      expect((await admin.get(`/api/admin/token/list?${query}`)).code, query).toBe(400);
  });
});

describe('a creation', () => {
  it('names every wrong field at once', async () => {
    const answer = await create(admin, { name: '', scopes: ['fly'], expires: 'never', expire: null });
    expect(answer.outcome.split('\n')).toEqual([
      '400 name must be longer than or equal to 1 characters',
      expect.stringContaining('each value in scopes must be one of the following values: profile:read, activity:read'),
      'expires must be an RFC 3339 time such as 2027-01-31T12:00:00Z',
      'unknown field "expire"',
    ]);
  });

  it.each([
    ['a name that is too long', { name: 'a'.repeat(101) }, 'name must be shorter'],
    ['no scopes', { scopes: [] }, 'scopes should not be empty'],
    ['one scope twice', { scopes: ['profile:read', 'profile:read'] }, "All scopes's elements must be unique"],
    ['an expiry in the past', { expires: '2020-01-01T00:00:00Z' }, 'expires must be in the future'],
  ])('with %s is refused', async (_, fields, message) => {
    const answer = await create(admin, { name: 'refused', scopes: ['profile:read'], expires: null, ...fields });
    expect(answer.outcome).toMatch(/^400 /);
    expect(answer.outcome).toContain(message);
  });

  it('with a scope of administrators is refused for others', async () => {
    const member = await newMember(admin, 'ambitious');
    for (const scope of accessTokenScopes.filter(isAdminScope)) {
      const answer = await create(member, { name: scope, scopes: ['profile:read', scope], expires: null });
      expect(answer.outcome).toBe(`403 only administrators can give the scope ${scope}`);
    }
    expect(await tokensOf(member)).toEqual([]);
  });

  it('is refused for a guest who logs in, like the other routes of own tokens', async () => {
    await updateAccount(admin, 'guest', { disabled: false, password: 'guest-pass' });
    const guest = await api.signedIn('guest', 'guest-pass');
    const answers = [
      await create(guest, { name: 'x', scopes: ['profile:read'], expires: null }),
      await guest.get('/api/me/tokens'),
      await guest.post('/api/me/tokens/revoke', { id: 2_097_153 }),
    ];
    for (const { outcome } of answers) expect(outcome).toBe('403 Guest user can not have access tokens');
    await updateAccount(admin, 'guest', { disabled: true });
  });
});

// Everything that a token can have.
const { client: token } = await newAccessToken(admin, [
  'profile:read',
  'keys:manage',
  'accounts:manage',
  'settings:read',
  'keys:look-up',
  'logins:verify',
]);
const UNCHANGEABLE = '403 an access token can not change an administrator, log in instead';

describe('an access token that manages accounts', () => {
  it('does so for accounts that are no administrators, the guest included', async () => {
    const member = await newMember(admin, 'managed');
    await enrol(member);
    await member.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line });
    const [key] = await listedKeysOf(member);
    const account = await accountNamed(admin, 'managed');
    const guest = await accountNamed(admin, 'guest');
    const session_id = sessionIdOf(member);
    const answers = [
      await token.post('/api/admin/user/create', { username: 'made', password: 'pw-made', role: 0 }),
      await token.post('/api/admin/user/update', { ...account, password: 'n3w-pass' }),
      await token.post('/api/admin/user/update', guest),
      await token.post(`/api/admin/user/cancel_2fa?id=${account.id}`),
      await token.post(`/api/admin/user/revoke-everything?id=${account.id}`),
      await token.post(`/api/admin/user/sshkey/delete?id=${key!.id}`),
      await token.post('/api/admin/session/evict', { session_id }),
      await token.post('/api/admin/session/evict', { user_id: account.id }),
      await token.post(`/api/admin/user/delete?id=${account.id}`),
    ];
    expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => '200 success'));
    await signedInAs(api, 'made');
  });

  it('changes nothing of an administrator', async () => {
    await admin.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line });
    const [key] = await listedKeysOf(admin);
    const account = await accountNamed(admin, 'admin');
    const session_id = sessionIdOf(admin);
    const before = (await admin.get('/api/me')).data();
    for (const change of [
      {},
      { password: 'n3w-pass' },
      { username: 'boss' },
      { permission: 0 },
      { base_path: '/elsewhere' },
      { disabled: true },
      { role: 0 },
      { sso_id: 'mine' },
      { revoke_secrets: true },
    ]) {
      const answer = await token.post('/api/admin/user/update', { ...account, ...change });
      expect(answer.outcome, JSON.stringify(change)).toBe(UNCHANGEABLE);
    }
    const answers = [
      await token.post('/api/admin/user/cancel_2fa?id=1'),
      await token.post('/api/admin/user/revoke-everything?id=1'),
      await token.post('/api/admin/user/delete?id=1'),
      await token.post(`/api/admin/user/sshkey/delete?id=${key!.id}`),
      await token.post('/api/admin/session/evict', { user_id: 1 }),
      await token.post('/api/admin/session/evict', { session_id }),
    ];
    expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => UNCHANGEABLE));
    expect((await admin.get('/api/me')).data()).toEqual(before);
    expect(await listedKeysOf(admin)).toHaveLength(1);
    await adminOf(api);
  });
});

it('an access token that reads settings sees no secret, neither the static token nor an unknown setting', async () => {
  const secrets = { ldap_manager_password: 'ldap-s3cret', unknown_setting: 'unknown-s3cret', site_title: 'Our site' };
  const saved = Object.entries(secrets).map(([key, value]) => ({ key, value }));
  (await admin.post('/api/admin/setting/save', saved)).data();
  const staticToken = storedStaticToken(app.dataDir);
  const keys = ['token', ...Object.keys(secrets)];
  const reads = [
    '/api/admin/setting/list',
    `/api/admin/setting/get?keys=${keys.join()}`,
    ...keys.map((key) => `/api/admin/setting/get?key=${key}`),
  ];
  const [shown, hidden] = [[...secretsIn(await texts(admin))], [...secretsIn(await texts(token))]];
  expect(shown.toSorted()).toEqual([staticToken, 'ldap-s3cret', 'unknown-s3cret', 'Our site'].toSorted());
  expect(hidden).toEqual(['Our site']);

  async function texts(client: ApiClient): Promise<string> {
    return (await Promise.all(reads.map(async (path) => (await client.get(path)).text))).join('\n');
  }
  function secretsIn(text: string): string[] {
    return [staticToken, ...Object.values(secrets)].filter((each) => text.includes(each));
  }
});

const createNamed = (client: ApiClient, name: string) =>
  create(client, { name, scopes: ['profile:read'], expires: null });
const idsOf = (tokens: readonly { id: number }[]) => new Set(tokens.map(({ id }) => id));
const times = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

it('of 20 parallel creations with one name, one creates a token', async () => {
  const member = await newMember(admin, 'crowd');
  const answers = await times(20, () => createNamed(member, 'backup'));
  const created = answers.filter(({ code }) => code === 200);
  expect(created).toHaveLength(1);
  const refused = answers.filter(({ code }) => code !== 200).map(({ outcome }) => outcome);
  expect(new Set(refused)).toEqual(new Set(['400 an access token with the same name already exists']));
  const { token } = created[0]!.data<{ token: string }>();
  expect((await api.as(token).get('/api/me')).outcome).toBe('200 success');
  expect(await tokensOf(member)).toHaveLength(1);
});

it('of 120 parallel creations, 100 create a token, and each of these works', async () => {
  const member = await newMember(admin, 'limit');
  const answers = await times(120, (index) => createNamed(member, `token ${index}`));
  const tokens = answers.filter(({ code }) => code === 200).map((answer) => answer.data<{ token: string }>().token);
  expect(tokens).toHaveLength(100);
  expect(new Set(tokens).size).toBe(100);
  const refused = answers.filter(({ code }) => code !== 200).map(({ outcome }) => outcome);
  expect(new Set(refused)).toEqual(new Set(['400 the account has too many access tokens, revoke one first']));
  const outcomes = await times(100, async (index) => (await api.as(tokens[index]!).get('/api/me')).outcome);
  expect(new Set(outcomes)).toEqual(new Set(['200 success']));
  const [first] = await tokensOf(member);
  (await member.post('/api/me/tokens/revoke', { id: first!.id })).data();
  expect((await createNamed(member, 'in its place')).outcome).toBe('200 success');
});

it('parallel creations and revocations leave exactly the tokens that were not revoked, and only these work', async () => {
  const member = await newMember(admin, 'churn');
  const old = await times(20, () => newAccessToken(member, ['profile:read']));
  const [made, revoked] = await Promise.all([
    times(20, () => newAccessToken(member, ['profile:read'])),
    times(40, (index) => member.post('/api/me/tokens/revoke', { id: old[index % 20]!.id })),
  ]);
  // Each token is revoked twice, and only one of the two finds it.
  for (const code of [200, 404]) expect(revoked.filter((answer) => answer.code === code)).toHaveLength(20);
  expect(idsOf(await tokensOf(member))).toEqual(idsOf(made));
  const outcomes = async (tokens: typeof old) =>
    new Set(await Promise.all(tokens.map(async ({ client }) => (await client.get('/api/me')).outcome)));
  expect(await outcomes(old)).toEqual(new Set(['401 token is invalidated']));
  expect(await outcomes(made)).toEqual(new Set(['200 success']));
});
