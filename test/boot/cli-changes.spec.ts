import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { accountNamed, adminOf, createAccount, newAddress, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { appPasswordsOf, newAppPassword } from '../support/app-passwords.js';
import { keyfoldHere } from '../support/cli-in-process.js';
import { keyfoldReading, type CliResult } from '../support/cli.js';
import type { ProcessEnv } from '../support/keyfold-process.js';
import { newKeyLine } from '../support/key-line.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { enrol } from '../support/two-factor.js';

const NEW_PASSWORD = 'set-by-the-operator';
const HUSH = 'hush-hush-hush';
const OTHER_KEY = 'k1:/eRlOYIZx3jDoZKqXBObK1xMep0L+oSCKszPvp2CuyY=';
const REFUSED = '401 Invalid username or password';
const ENDED = '401 token is invalidated';
/** Opens connections until each thread of the service has surely answered. */
const CONNECTIONS = 12;

type Site = Readonly<{ api: ApiClient; admin: ApiClient; folder: string }>;
/** A command line, its output, and how the running service shows its effect afterwards. */
type Change = Readonly<{
  args: readonly string[];
  input?: string;
  out: string | RegExp;
  check(ran: CliResult): Promise<void>;
}>;

const logIn = (api: ApiClient, username: string, password: string) => api.from(newAddress()).logIn(username, password);
const outcomeOf = async (client: ApiClient) => (await client.get('/api/me')).outcome;
const settingOf = async (admin: ApiClient, key: string) =>
  (await admin.get('/api/admin/setting/list')).data<{ key: string; value: string }[]>().find((each) => each.key === key)
    ?.value;
async function publicTitles(api: ApiClient): Promise<string[]> {
  const titles = Array.from({ length: CONNECTIONS }, async () => {
    const answer = await api.get('/api/public/settings');
    return answer.data<{ site_title: string }>().site_title;
  });
  return [...new Set(await Promise.all(titles))];
}
async function currentSession(member: ApiClient): Promise<string> {
  const sessions = (await member.get('/api/me/sessions')).data<{ session_id: string; current: boolean }[]>();
  return sessions.find(({ current }) => current)!.session_id;
}

/** Every command that changes something, with what the service must have before it. */
const changes: Record<string, (site: Site) => Promise<Change>> = {
  'account create': async ({ api }) => ({
    input: 'pw-created\n',
    args: ['account', 'create', 'created', '--base-path', '/team', '--permission', '0x400', '--json'],
    out: /^\{"id":\d+,"username":"created",.*\}\n$/,
    async check({ out }) {
      const { id } = JSON.parse(out) as { id: number };
      const profile = (await (await signedInAs(api, 'created')).get('/api/me')).data();
      expect(profile).toMatchObject({ id, username: 'created', base_path: '/team', permission: 1024, role: 0 });
    },
  }),
  'account disable': async ({ api, admin }) => {
    const member = await newMember(admin, 'paused');
    return {
      args: ['account', 'disable', 'paused'],
      out: 'disabled "paused"\n',
      async check() {
        expect(await outcomeOf(member)).toBe('401 Current user is disabled, replace please');
        expect((await logIn(api, 'paused', 'pw-paused')).outcome).toBe(REFUSED);
      },
    };
  },
  'account enable': async ({ api, admin }) => {
    await createAccount(admin, 'resting', { disabled: true });
    return {
      args: ['account', 'enable', 'resting'],
      out: 'enabled "resting"\n',
      check: async () => expect((await logIn(api, 'resting', 'pw-resting')).code).toBe(200),
    };
  },
  'account update': async ({ admin }) => {
    const member = await newMember(admin, 'former');
    return {
      args: ['account', 'update', 'former', '--sso-id', 'idp|1', '--permission=-1'],
      out: 'updated "former"\n',
      async check() {
        const profile = (await member.get('/api/me')).data();
        expect(profile).toMatchObject({ sso_id: 'idp|1', permission: -1, base_path: '/' });
      },
    };
  },
  'account update of a name': async ({ api, admin }) => {
    await createAccount(admin, 'early');
    return {
      args: ['account', 'update', 'early', '--username', 'later'],
      out: 'updated "early"\n',
      async check() {
        expect((await logIn(api, 'early', 'pw-early')).outcome).toBe(REFUSED);
        expect((await logIn(api, 'later', 'pw-early')).code).toBe(200);
      },
    };
  },
  'account delete': async ({ admin }) => {
    const member = await newMember(admin, 'leaving');
    return {
      args: ['account', 'delete', 'leaving', '--yes'],
      out: 'deleted the account "leaving" with its keys and sessions\n',
      async check() {
        expect(await outcomeOf(member)).toBe('401 failed find user: record not found');
        await createAccount(admin, 'leaving');
      },
    };
  },
  'account erase': async ({ admin }) => {
    const member = await newMember(admin, 'forgotten');
    const { line, fingerprint } = newKeyLine();
    (await member.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
    await newAccessToken(member, ['profile:read']);
    const { id } = await accountNamed(admin, 'forgotten');
    (await admin.post(`/api/admin/user/delete?id=${id}`)).data();
    return {
      args: ['account', 'erase', String(id), '--yes'],
      out: new RegExp(`^erased account ${id}: \\d+ commits of 4 streams, 4 documents\\n$`),
      async check() {
        expect(await outcomeOf(member)).toMatch(/^401 /);
        expect((await admin.get(`/api/admin/user/get?id=${id}`)).outcome).toMatch(/record not found$/);
        const found = await admin.get(`/api/admin/sshkey/find?fingerprint=${encodeURIComponent(fingerprint)}`);
        expect(JSON.stringify(found.data())).not.toContain(fingerprint);
        const { text } = await admin.get('/api/admin/activity/export');
        expect(text).not.toContain('forgotten');
        expect(text).toMatch(new RegExp(`"account\\.erased".*"account_id":${id}\\b`));
        await createAccount(admin, 'forgotten');
      },
    };
  },
  'account set-password': async ({ api, admin }) => {
    const member = await newMember(admin, 'forgetful');
    return {
      input: `${NEW_PASSWORD}\nand another line\n`,
      args: ['account', 'set-password', 'forgetful'],
      out: 'set a new password for "forgetful" and ended its sessions\n',
      async check() {
        expect((await logIn(api, 'forgetful', 'pw-forgetful')).outcome).toBe(REFUSED);
        expect(await outcomeOf(member)).toBe('401 Password has been changed, login please');
        expect((await logIn(api, 'forgetful', NEW_PASSWORD)).code).toBe(200);
      },
    };
  },
  'account set-password from a file': async ({ api, admin, folder }) => {
    await createAccount(admin, 'filed');
    writeFileSync(join(folder, 'password'), `${NEW_PASSWORD}\n\n`);
    return {
      args: ['account', 'set-password', 'filed', '--password-file', join(folder, 'password')],
      out: 'set a new password for "filed" and ended its sessions\n',
      check: async () => expect((await logIn(api, 'filed', `${NEW_PASSWORD}\n`)).code).toBe(200),
    };
  },
  'account disable-two-factor': async ({ api, admin }) => {
    const member = await newMember(admin, 'phoneless');
    await enrol(member);
    return {
      args: ['account', 'disable-two-factor', 'phoneless'],
      out: 'turned two-factor off for "phoneless"\n',
      async check() {
        expect((await logIn(api, 'phoneless', 'pw-phoneless')).code).toBe(200);
        expect((await member.get('/api/me')).data()).toMatchObject({ username: 'phoneless', otp: false });
      },
    };
  },
  'account unlock': async ({ api, admin }) => {
    await createAccount(admin, 'blocked');
    const from = api.from(newAddress());
    for (let n = 0; n < 5; n++) await from.logIn('blocked', 'wrong');
    expect((await from.logIn('blocked', 'pw-blocked')).code).toBe(429);
    return {
      args: ['account', 'unlock', 'blocked'],
      out: /^lifted \d blocks? of "blocked"\n$/,
      check: async () => expect((await from.logIn('blocked', 'pw-blocked')).code).toBe(200),
    };
  },
  'account sessions --evict': async ({ admin }) => {
    const member = await newMember(admin, 'evicted');
    const other = await signedInAs(admin, 'evicted');
    const id = await currentSession(member);
    return {
      args: ['account', 'sessions', 'evicted', '--evict', id],
      out: `evicted the session ${id} of "evicted"\n`,
      check: async () => expect([await outcomeOf(member), await outcomeOf(other)]).toEqual([ENDED, '200 success']),
    };
  },
  'account sessions --evict-all': async ({ admin }) => {
    const member = await newMember(admin, 'banished');
    return {
      args: ['account', 'sessions', 'banished', '--evict-all'],
      out: 'evicted every session of "banished"\n',
      check: async () => expect(await outcomeOf(member)).toBe(ENDED),
    };
  },
  'account keys --remove': async ({ admin }) => {
    const member = await newMember(admin, 'key holder');
    (await member.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line })).data();
    const list = async () =>
      (await member.get('/api/me/sshkey/list')).data<{ content: { id: number }[]; total: number }>();
    const [key] = (await list()).content;
    return {
      args: ['account', 'keys', 'key holder', '--remove', String(key!.id)],
      out: `removed the SSH key ${key!.id} ("laptop") of "key holder"\n`,
      check: async () => expect(await list()).toMatchObject({ total: 0 }),
    };
  },
  'account tokens --revoke': async ({ admin }) => {
    const { id, client } = await newAccessToken(await newMember(admin, 'token holder'), ['profile:read']);
    expect(await outcomeOf(client)).toBe('200 success');
    return {
      args: ['account', 'tokens', 'token holder', '--revoke', String(id)],
      out: `revoked the access token ${id} of "token holder"\n`,
      check: async () => expect(await outcomeOf(client)).toBe(ENDED),
    };
  },
  'account app-passwords --revoke': async ({ admin }) => {
    const member = await newMember(admin, 'app holder');
    const { id } = await newAppPassword(member);
    return {
      args: ['account', 'app-passwords', 'app holder', '--revoke', String(id)],
      out: `revoked the app password ${id} of "app holder"\n`,
      check: async () => expect(await appPasswordsOf(member)).toEqual([]),
    };
  },
  'account revoke-everything': async ({ admin }) => {
    const member = await newMember(admin, 'revoked');
    const { client } = await newAccessToken(member, ['profile:read']);
    await newAppPassword(member);
    for (const each of [member, client]) expect(await outcomeOf(each)).toBe('200 success');
    return {
      args: ['account', 'revoke-everything', 'revoked'],
      out: 'evicted every session and revoked every access token and app password of "revoked"\n',
      async check() {
        for (const each of [member, client]) expect(await outcomeOf(each)).toBe(ENDED);
        expect(await appPasswordsOf(await signedInAs(member, 'revoked'))).toEqual([]);
      },
    };
  },
  'settings set': async ({ api }) => {
    await publicTitles(api);
    return {
      args: ['settings', 'set', 'site_title', 'Mine'],
      out: 'site_title\n  from  OpenList\n  to    Mine\nChanged 1 setting\n',
      check: async () => expect(await publicTitles(api)).toEqual(['Mine']),
    };
  },
  'settings set of a secret': async ({ admin }) => ({
    input: `${HUSH}\n`,
    args: ['settings', 'set', 'sso_client_secret'],
    out: 'sso_client_secret\n  from  (secret)\n  to    (secret)\nChanged 1 setting\n',
    check: async () => expect(await settingOf(admin, 'sso_client_secret')).toBe(HUSH),
  }),
  'settings import': async ({ admin }) => ({
    input: '[{"key":"announcement","value":"closed"}]',
    args: ['settings', 'import', '--json'],
    out: /^\{"key":"announcement","from":".*","to":"closed","secret":false\}\n$/,
    check: async () => expect(await settingOf(admin, 'announcement')).toBe('closed'),
  }),
  'settings reset': async ({ admin }) => {
    const factory = await settingOf(admin, 'max_client_download_speed');
    await admin.post('/api/admin/setting/save', [{ key: 'max_client_download_speed', value: '7' }]);
    return {
      args: ['settings', 'reset', 'max_client_download_speed'],
      out: `max_client_download_speed\n  from  7\n  to    ${factory}\nChanged 1 setting\n`,
      check: async () => expect(await settingOf(admin, 'max_client_download_speed')).toBe(factory),
    };
  },
  'settings delete': async ({ admin }) => {
    await admin.post('/api/admin/setting/save', [{ key: 'from_elsewhere', value: 'x' }]);
    return {
      args: ['settings', 'delete', 'from_elsewhere'],
      out: 'deleted the setting "from_elsewhere"\n',
      check: async () => expect(await settingOf(admin, 'from_elsewhere')).toBeUndefined(),
    };
  },
  'settings reset-token': async ({ api, admin }) => {
    const old = api.as((await settingOf(admin, 'token'))!);
    expect((await old.get('/api/admin/user/list')).code).toBe(200);
    return {
      args: ['settings', 'reset-token'],
      out: /^openlist-[\w-]{100}\n$/,
      async check({ out }) {
        expect((await old.get('/api/admin/user/list')).outcome).toBe(ENDED);
        expect((await api.as(out.trim()).get('/api/admin/user/list')).code).toBe(200);
      },
    };
  },
  'settings export': async ({ admin, folder }) => {
    const file = join(folder, 'settings.json');
    return {
      args: ['settings', 'export', file, '--with-secrets'],
      out: '',
      async check() {
        expect(statSync(file).mode & 0o777).toBe(0o600);
        const settings = JSON.parse(readFileSync(file, 'utf8')) as object[];
        expect(settings).toContainEqual({ key: 'token', value: await settingOf(admin, 'token') });
        expect((await admin.post('/api/admin/setting/save', settings)).code).toBe(200);
      },
    };
  },
};

/** The command `keyfold` and the service that it administers. */
type Scene = Readonly<{
  /** Starts the service if necessary and returns a client. */
  api(): Promise<ApiClient>;
  /** Runs the command with this standard input and additional settings. */
  run(input: string, args: readonly string[], env?: ProcessEnv): Promise<CliResult>;
  /** Returns the output of the service. */
  output(): string;
  dispose(): Promise<void>;
}>;

/** Only commands that read their input run as processes of their own, because each start costs half a second. */
const runIn = (input: string, env: ProcessEnv, args: readonly string[]) =>
  input === '' ? keyfoldHere(env, ...args) : keyfoldReading(input, env, ...args);

async function sqlite({ beside }: { beside: boolean }): Promise<Scene> {
  const app = await StandaloneProcess.start({ KEYFOLD_THREADS: '2' });
  return {
    async api() {
      if (!app.isRunning) await app.restart();
      return new ApiClient(app.baseUrl);
    },
    async run(input, args, env) {
      if (!beside && app.isRunning) await app.stop();
      return runIn(input, { KEYFOLD_DATA_DIR: app.dataDir, ...env }, args);
    },
    output: () => app.output(),
    dispose: () => app.dispose(),
  };
}

async function mongodb(): Promise<Scene> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1 });
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  return {
    api: async () => service.api(),
    run: (input, args, env) => runIn(input, { KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY, ...env }, args),
    output: () => service.output(),
    dispose: () => service.dispose(),
  };
}

/** A title, a function that opens the scene, and the fate of a sealing key of the command's own. */
describe.each([
  ['beside the process that owns the data folder', () => sqlite({ beside: true }), 'ignored'],
  ['while no process runs', () => sqlite({ beside: false }), 'refused'],
  ['on MongoDB', mongodb, 'refused'],
] as const)('%s', (_, open, otherKey) => {
  let scene: Scene;
  let folder: string;
  const prepared = new Map<string, Change>();
  const results = new Map<string, CliResult>();

  /** Prepares everything, then runs every command, because a process may have to be started or stopped in between. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
    scene = await open();
    const api = await scene.api();
    const site = { api, admin: await adminOf(api), folder };
    for (const [name, prepare] of Object.entries(changes)) prepared.set(name, await prepare(site));
    for (const [name, { args, input = '' }] of prepared) results.set(name, await scene.run(input, args));
  });
  afterAll(async () => {
    await scene?.dispose();
    rmSync(folder, { recursive: true });
  });

  it('a refused command changes nothing', async () => {
    const refused = (err: string) => ({ status: 1, out: '', err: `${err}. Nothing was changed\n` });
    const again = await scene.run('pw\n', ['account', 'create', 'created']);
    expect(again).toEqual(refused('another account has this name'));
    const unknown = await scene.run(NEW_PASSWORD, ['account', 'set-password', 'Created']);
    expect(unknown).toEqual(refused('no account "Created"'));
  });

  it(otherKey === 'refused' ? 'another sealing key is refused' : 'the key of the process counts', async () => {
    const env = { KEYFOLD_SEALING_KEY: OTHER_KEY };
    const { status, err } = await scene.run(NEW_PASSWORD, ['account', 'set-password', 'guest'], env);
    const broken = expect.stringContaining('it was sealed with another key of this id');
    expect({ status, err }).toEqual(otherKey === 'refused' ? { status: 1, err: broken } : { status: 0, err: '' });
  });

  it.each(Object.keys(changes))('%s shows its effect in the next answers of the service', async (name) => {
    const { out, check } = prepared.get(name)!;
    const ran = results.get(name)!;
    const expected = typeof out === 'string' ? out : expect.stringMatching(out);
    expect(ran).toEqual({ status: 0, out: expected, err: '' });
    await scene.api();
    await check(ran);
  });

  it('everything agrees afterwards', async () => {
    expect((await scene.run('', ['verify'])).out).toMatch(/: no problems\n$/);
  });

  it('the history names the operator, and neither it nor a log contains a secret', async () => {
    const api = await scene.api();
    const { id } = await accountNamed(await adminOf(api), 'forgetful');
    const { out } = await scene.run('', ['events', 'show', `account-${id}`]);
    expect(out).toMatch(/ {2}actor {8}operator\n(?: {2}\w+ +\S+\n)* {2}PasswordChanged v1\n/);
    expect(out.match(/ v1\n/g)).toHaveLength(2);
    const secrets = [NEW_PASSWORD, HUSH, results.get('settings reset-token')!.out.trim()];
    for (const secret of secrets) expect(out + scene.output()).not.toContain(secret);
  });
});
