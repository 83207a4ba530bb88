import { describe, expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { logLines } from '../support/log-lines.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken, storedCommits } from '../support/stored-data.js';

interface ListedSetting {
  key: string;
  value: string;
  flag: number;
  group: number;
}

const SECRETS = [
  'ldap_manager_password',
  'sso_client_secret',
  's3_secret_access_key',
  'aria2_secret',
  'from_elsewhere',
];
const secretOf = (key: string) => `the secret of ${key}`;

const app = await sharedApp({ KEYFOLD_LOG_LEVEL: 'trace' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const save = (...settings: object[]) => admin.post('/api/admin/setting/save', settings);
const saved = async (key: string, value: string) => (await save({ key, value })).data();
const list = async () => (await admin.get('/api/admin/setting/list')).data<ListedSetting[]>();
const valueOf = async (key: string) =>
  (await admin.get(`/api/admin/setting/get?key=${key}`)).data<ListedSetting>().value;
const publicSettings = async () => (await api.get('/api/public/settings')).data<Record<string, string>>();
const settingsCommits = () => storedCommits(app.dataDir).filter(({ stream }) => stream === 'site-settings');

describe('a save', () => {
  it('is one commit with the actor and the old and the new values', async () => {
    await saved('site_title', 'Before');
    (await save({ key: 'site_title', value: 'After' }, { key: 'home_icon', value: 'x' })).data();
    const commit = settingsCommits().at(-1)!;
    expect(commit).toMatchObject({ actor: 'session:1', session: expect.stringMatching(/./) });
    expect(commit.events).toMatchObject([
      {
        type: 'SettingsChanged',
        data: { changes: { site_title: { from: 'Before', to: 'After' }, home_icon: { from: '🏠', to: 'x' } } },
      },
    ]);
  });

  it('of everything that was listed changes nothing', async () => {
    await saved('ldap_manager_password', 'kept');
    const before = await list();
    const commits = settingsCommits().length;
    (await save(...before)).data();
    expect(settingsCommits()).toHaveLength(commits);
    expect(await list()).toEqual(before);
  });

  it('loses nothing if many others run at the same time', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `parallel-${n}`);
    const answers = await Promise.all(keys.map((key) => save({ key, value: key }, { key: 'home_icon', value: key })));
    expect(answers.map(({ outcome }) => outcome)).toEqual(keys.map(() => '200 success'));
    const listed = (await list()).filter(({ flag }) => flag === 3).map(({ key, value }) => [key, value]);
    expect(listed).toEqual(keys.toSorted().map((key) => [key, key]));
    for (const key of keys) (await admin.post(`/api/admin/setting/delete?key=${key}`)).data();
  });

  it('changes no metadata of a known setting', async () => {
    const metadata = async (key: string) => {
      const { value: _, ...rest } = (await admin.get(`/api/admin/setting/get?key=${key}`)).data<ListedSetting>();
      return rest;
    };
    for (const key of ['site_title', 'token', 'version', 'sign_all']) {
      const before = await metadata(key);
      const value = key === 'token' ? storedStaticToken(app.dataDir) : 'x';
      (await save({ key, value, help: 'h', type: 'bool', options: 'o', group: 3, flag: 0, index: 7 })).data();
      expect(await metadata(key)).toEqual(before);
    }
    expect(await valueOf('version')).not.toBe('x');
  });

  it('that is refused for one setting saves none', async () => {
    await saved('site_title', 'Kept');
    for (const refused of [
      { key: 'multipart_chunk_size', value: 'x' },
      { key: 'token', value: '' },
      { key: 'privacy_regs', value: '(' },
      { key: 'not a key', value: 'v' },
    ]) {
      expect((await save({ key: 'site_title', value: 'Lost' }, refused)).code).toBeGreaterThan(399);
    }
    expect((await publicSettings())['site_title']).toBe('Kept');
  });

  it.each(['', 'short', 'with a blank in it', ' leading-blank-0123', 'ümlaut-ümlaut-ümlaut', 'x'.repeat(1_025)])(
    'of the static token %j is refused, and the token stays in force',
    async (value) => {
      const token = storedStaticToken(app.dataDir);
      expect((await save({ key: 'token', value })).outcome).toBe(
        '500 failed to execute hook on token: the static token must consist of 16 to 1024 visible ASCII characters and not look like an access token',
      );
      expect((await api.as(token).get('/api/me')).code).toBe(200);
      expect((await api.as(value).get('/api/me')).code).toBe(401);
    },
  );

  it('is refused if the list is empty, too long, or the settings take too much', async () => {
    expect((await save()).outcome).toBe('500 failed save setting: the list is empty');
    const many = Array.from({ length: 1_001 }, () => ({ key: 'site_title', value: 'x' }));
    expect((await save(...many)).outcome).toBe('400 the list is too long: at most 1000 items');
    const tooLarge = { key: 'customize_head', value: 'x'.repeat(98_304) };
    expect((await save(tooLarge)).outcome).toBe('400 the settings are too long: at most 98304 bytes together');
  });

  it.each([
    ['(?=a)', 'line 1: error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['a{1000}b{1000}', 'the expressions are too large, shorten one'],
  ])('of the privacy pattern %j is refused', async (value, reason) => {
    expect((await save({ key: 'privacy_regs', value })).outcome).toBe(
      `500 failed to execute hook on privacy_regs: ${reason}`,
    );
  });
});

describe('a setting that Keyfold does not know', () => {
  it('is private and deprecated, whatever its flag says, and can be deleted', async () => {
    for (const flag of [0, 1, 2, 3]) {
      (await save({ key: 'from_elsewhere', value: 'v', flag, group: 2 })).data();
      expect(await publicSettings()).not.toHaveProperty('from_elsewhere');
      expect((await list()).at(-1)).toMatchObject({ key: 'from_elsewhere', value: 'v', flag: 3, group: 0 });
    }
    (await admin.post('/api/admin/setting/delete?key=from_elsewhere')).data();
    expect((await list()).map(({ key }) => key)).not.toContain('from_elsewhere');
    expect((await admin.post('/api/admin/setting/delete?key=from_elsewhere')).outcome).toBe(
      '500 failed to get settingItem: record not found',
    );
  });
});

describe('a read', () => {
  it('of several groups is sorted by index, and shows each group once', async () => {
    const indexes = async (path: string) =>
      (await admin.get(`/api/admin/setting/list${path}`)).data<{ index: number }[]>().map(({ index }) => index);
    const groups = await indexes('?groups=11,5,11&group=1');
    expect(groups).toEqual(Array.from({ length: 19 }, (_, n) => 95 + n));
    expect(await indexes('')).toEqual(Array.from({ length: 114 }, (_, n) => n));
  });

  it('of many long values is refused', async () => {
    await saved('customize_body', 'x'.repeat(50_000));
    const path = (times: number) => `/api/admin/setting/get?keys=${'customize_body,'.repeat(times)}home_icon`;
    expect((await admin.get(path(20))).data<ListedSetting[]>()).toHaveLength(21);
    expect((await admin.get(path(21))).outcome).toBe('400 the answer would be too long, name fewer keys');
    await saved('customize_body', '');
  });

  it('of the factory values never shows the static token in force', async () => {
    const tokens = await Promise.all([1, 2].map(async () => factoryToken()));
    expect(new Set([...tokens, storedStaticToken(app.dataDir)]).size).toBe(3);
    expect(tokens[0]).toMatch(/^openlist-/);
  });

  async function factoryToken(): Promise<string> {
    const settings = (await admin.post('/api/admin/setting/default?group=0')).data<ListedSetting[]>();
    return settings.find(({ key }) => key === 'token')!.value;
  }
});

describe('the files that are generated from settings', () => {
  const location = async () => {
    const { status, headers } = await api.get('/favicon.ico');
    return [status, headers['location']];
  };

  it.each([
    ['https://example.org/icon.png?a=b&c#d', 'https://example.org/icon.png?a=b&c#d'],
    ['/名\r\nSet-Cookie: a=b', '/%E5%90%8D%0D%0ASet-Cookie:%20a=b'],
    ['', '/'],
  ])('redirect from the icon %j to %j', async (value, expected) => {
    await saved('favicon', value);
    expect(await location()).toEqual([302, expected]);
  });

  it('show any text', async () => {
    for (const [key, value] of Object.entries({ robots_txt: '名 <b>\n', site_title: '"</script>\u2028', logo: '\n' }))
      await saved(key, value);
    expect((await api.get('/robots.txt')).text).toBe('名 <b>\n');
    expect((await api.get('/manifest.json')).json).toMatchObject({ name: '"</script>\u2028', icons: [{ src: '' }] });
    for (const value of ['', 'OpenList']) {
      for (const key of ['robots_txt', 'site_title', 'logo']) await saved(key, value);
      expect((await api.get('/robots.txt')).text).toBe(value);
    }
  });
});

describe('secrets among the settings', () => {
  it('are shown to administrators, but never in public settings, stored data, the command or the log', async () => {
    for (const key of SECRETS) await saved(key, secretOf(key));
    await saved('token', 'a-token-that-somebody-chose');
    const reset = (await admin.post('/api/admin/setting/reset_token')).data<string>();
    const listed = JSON.stringify(await list());
    const secrets = [...SECRETS.map(secretOf), reset];
    expect(secrets.filter((secret) => !listed.includes(secret))).toEqual([]);

    const shown = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'events', 'show', 'site-settings', '--json');
    expect(shown.status, shown.err).toBe(0);
    expect(shown.out).toContain('ldap_manager_password');
    const hidden = {
      'public settings': (await api.get('/api/public/settings')).text,
      commits: JSON.stringify(settingsCommits()),
      command: shown.out,
      log: app.output(),
    };
    for (const [where, text] of Object.entries(hidden)) {
      const found = [...secrets, 'a-token-that-somebody-chose'].filter((secret) => text.includes(secret));
      expect(found, where).toEqual([]);
    }
    const created = logLines(app.output()).filter(({ event }) => event === 'authn_token_created:1,static');
    expect(created).toHaveLength(2);
  });

  it('cannot be read or changed by a member', async () => {
    const member = await newMember(admin, 'curious');
    for (const path of ['list', 'get?key=token'])
      expect((await member.get(`/api/admin/setting/${path}`)).outcome).toBe('403 You are not an admin');
    const commits = settingsCommits().length;
    for (const path of ['save', 'delete?key=from_elsewhere', 'default', 'reset_token']) {
      const answer = await member.post(`/api/admin/setting/${path}`, [{ key: 'site_title', value: 'mine' }]);
      expect(answer.outcome).toBe('403 You are not an admin');
    }
    expect(settingsCommits()).toHaveLength(commits);
  });
});

it('settings, secrets and the privacy mask survive a restart', async () => {
  await saved('ldap_manager_password', 'still there');
  await saved('privacy_regs', 'hush[0-9]');
  await app.restart();
  expect(await valueOf('ldap_manager_password')).toBe('still there');
  const refused = await admin.get('/api/admin/setting/list?group=hush1.2.3.4');
  expect(refused.outcome).toBe('400 strconv.Atoi: parsing "*****.2.3.4": invalid syntax');
});
