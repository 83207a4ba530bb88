import { describe, expect, it } from 'vitest';
import { newAccessToken, tokensOf } from '../support/access-tokens.js';
import { accountNamed, adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken } from '../support/stored-data.js';
import { enrol } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
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
    const { content } = (await member.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>();
    const account = await accountNamed(admin, 'managed');
    const guest = await accountNamed(admin, 'guest');
    const [{ session_id } = { session_id: '' }] = (await member.get('/api/me/sessions')).data<
      { session_id: string }[]
    >();
    const answers = [
      await token.post('/api/admin/user/create', { username: 'made', password: 'pw-made', role: 0 }),
      await token.post('/api/admin/user/update', { ...account, password: 'n3w-pass' }),
      await token.post('/api/admin/user/update', guest),
      await token.post(`/api/admin/user/cancel_2fa?id=${account.id}`),
      await token.post(`/api/admin/user/sshkey/delete?id=${content[0]!.id}`),
      await token.post('/api/admin/session/evict', { session_id }),
      await token.post('/api/admin/session/evict', { user_id: account.id }),
      await token.post(`/api/admin/user/delete?id=${account.id}`),
    ];
    expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => '200 success'));
    await signedInAs(api, 'made');
  });

  it('changes nothing of an administrator', async () => {
    await admin.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line });
    const { content } = (await admin.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>();
    const account = await accountNamed(admin, 'admin');
    const [{ session_id } = { session_id: '' }] = (await admin.get('/api/me/sessions')).data<
      { session_id: string }[]
    >();
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
    ]) {
      const answer = await token.post('/api/admin/user/update', { ...account, ...change });
      expect(answer.outcome, JSON.stringify(change)).toBe(UNCHANGEABLE);
    }
    const answers = [
      await token.post('/api/admin/user/cancel_2fa?id=1'),
      await token.post('/api/admin/user/delete?id=1'),
      await token.post(`/api/admin/user/sshkey/delete?id=${content[0]!.id}`),
      await token.post('/api/admin/session/evict', { user_id: 1 }),
      await token.post('/api/admin/session/evict', { session_id }),
    ];
    expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => UNCHANGEABLE));
    expect((await admin.get('/api/me')).data()).toEqual(before);
    expect((await admin.get('/api/me/sshkey/list')).data()).toMatchObject({ total: 1 });
    await adminOf(api);
  });

  it('makes no administrator and no guest', async () => {
    for (const role of [1, 2]) {
      expect((await token.post('/api/admin/user/create', { username: `role ${role}`, role })).outcome).toBe(
        '400 admin or guest user can not be created',
      );
      const member = await newMember(admin, `member ${role}`);
      const account = await accountNamed(admin, `member ${role}`);
      expect((await token.post('/api/admin/user/update', { ...account, role })).outcome).toBe(
        '400 role can not be changed',
      );
      expect((await member.get('/api/me')).data()).toMatchObject({ role: 0 });
    }
  });
});

it('an access token neither lists, creates nor revokes access tokens', async () => {
  const member = await newMember(admin, 'keeper');
  const { id } = await newAccessToken(member, ['profile:read']);
  const body = { name: 'more', scopes: ['profile:read'], expires: null };
  const before = await tokensOf(admin);
  const answers = [
    await token.get('/api/me/tokens'),
    await token.post('/api/me/tokens', body),
    await token.post('/api/me/tokens/revoke', { id: before[0]!.id }),
    await token.get('/api/admin/token/list'),
    await token.post('/api/admin/token/revoke', { id }),
  ];
  const refused = '403 access tokens are not accepted here, log in instead';
  expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => refused));
  expect((await tokensOf(admin)).map(({ id: each }) => each)).toEqual(before.map(({ id: each }) => each));
  expect(await tokensOf(member)).toHaveLength(1);
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

it('an access token changes no setting and gets no static token', async () => {
  const staticToken = storedStaticToken(app.dataDir);
  const before = (await admin.get('/api/admin/setting/list')).data();
  const answers = [
    await token.post('/api/admin/setting/save', [{ key: 'token', value: 'my-own-static-token' }]),
    await token.post('/api/admin/setting/delete?key=unknown_setting'),
    await token.post('/api/admin/setting/reset_token'),
  ];
  const refused = '403 access tokens are not accepted here, log in instead';
  expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => refused));
  expect((await admin.get('/api/admin/setting/list')).data()).toEqual(before);
  // The list of factory settings contains a new static token, which is not in force.
  const { text } = await token.post('/api/admin/setting/default');
  expect(text).not.toContain(staticToken);
  const [made = ''] = /openlist-[\w-]+/.exec(text) ?? [];
  expect((await api.as(made).get('/api/me')).outcome).toBe('401 token is invalidated');
});

it('a text in the form of an access token cannot become the static token', async () => {
  const save = [{ key: 'token', value: `kf_${'0'.repeat(42)}` }];
  expect((await admin.post('/api/admin/setting/save', save)).outcome).toMatch(/not look like an access token$/);
});
