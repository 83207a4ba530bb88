import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accountNamed } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold, startKeyfold } from '../support/cli.js';
import type { ProcessEnv } from '../support/keyfold-process.js';
import { keyLine } from '../support/key-line.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { oneTimeCode, stepOf } from '../support/one-time-code.js';
import { writeAlistDatabase, writeOpenlistDatabase, type OpenlistUser } from '../support/openlist-database.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const SECRET = 'PYCIP4HQ7QVN7SND2JXR62LZYL4C3QLW';
const REFUSED = '401 Invalid username or password';
const WEAK =
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQCtgW4HZV5wZoctx3FwH0OD8qQKLriLw9fcNuu/J1DKTcRjjQpz8zRj56ydeoT2JRizlEa299qg0r9VuYqDN9bLN9fZ6MHI2i3lL0NHqg9B1l5cGuBUACUL/kK/4QwP2S0bfhpQzvCgYRjwAQvSRudjrGTyYfS/WUOt/ompGetwEw==';

const users: readonly OpenlistUser[] = [
  { id: 3, username: 'plain', password: 'correct horse', basePath: '/a', ssoId: 'sub|1' },
  { id: 5, username: 'blanks ünï', password: ' Pässwörd ✓ 日本 ', basePath: '/b/c d', permission: 3072 },
  { id: 6, username: 'off', password: 'was here', disabled: true },
  { id: 9, username: 'two-factor', secret: SECRET },
  {
    id: 40,
    username: 'keys',
    keys: [
      { title: 'laptop', ...keyLine('laptop') },
      { title: 'weak', line: WEAK },
      { title: 'laptop again', ...keyLine('laptop') },
    ],
  },
];

type Service = Readonly<{ api: ApiClient; env: ProcessEnv; dispose(): Promise<void> }>;

async function sqlite(): Promise<Service> {
  const app = await StandaloneProcess.start({ KEYFOLD_THREADS: '2' });
  const env = { KEYFOLD_DATA_DIR: app.dataDir };
  return { api: new ApiClient(app.baseUrl), env, dispose: () => app.dispose() };
}

async function mongodb(): Promise<Service> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1 });
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  return {
    api: service.api(),
    env: { KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY },
    dispose: () => service.dispose(),
  };
}

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data.db');
}

function databaseOf(accounts: readonly OpenlistUser[], settings: Readonly<Record<string, string>> = {}): string {
  const path = freshPath();
  writeOpenlistDatabase(path, accounts, { settings });
  return path;
}

describe.each([
  ['the embedded store', sqlite],
  ['MongoDB', mongodb],
])('an import beside a service on %s', (_, start) => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service?.dispose());

  const run = (file: string, ...options: readonly string[]) =>
    keyfold(service.env, 'import', 'openlist', file, ...options);
  const logIn = (username: string, password: string, code?: string) => service.api.logIn(username, password, code);
  const accepted = ['--accept', 'ssh-key-invalid', '--accept', 'ssh-key-taken'];

  it('changes nothing until its problems are accepted, and then lets everybody in with the old password', async () => {
    const file = databaseOf(users);
    const refused = await run(file);
    expect(refused).toMatchObject({
      status: 1,
      err: 'Nothing was changed. Solve the problems, or accept them with --accept ssh-key-invalid --accept ssh-key-taken\n',
    });
    expect((await logIn('plain', 'correct horse')).outcome).toBe(REFUSED);

    const imported = await run(file, ...accepted);
    expect(imported.status, imported.err).toBe(0);
    expect(imported.out).toContain('Took 7 accounts with 1 new SSH key; 0 unchanged, 0 changed here, 0 refused\n');

    for (const { username, password = username, basePath = '/', permission = 0, ssoId = '', id } of [
      users[0]!,
      users[1]!,
      users[4]!,
    ]) {
      const member = await service.api.signedIn(username, password);
      const fields = { id, username, base_path: basePath, permission, sso_id: ssoId, role: 0 };
      expect((await member.get('/api/me')).data()).toMatchObject(fields);
      expect((await logIn(username, `${password}x`)).outcome).toBe(REFUSED);
    }
    expect((await logIn('off', 'was here')).outcome).toBe(REFUSED);
    expect((await logIn('two-factor', 'two-factor')).outcome).toBe('402 Invalid 2FA code');
    expect((await logIn('two-factor', 'two-factor', oneTimeCode(SECRET, stepOf(Date.now())))).code).toBe(200);
    const keys = await (await service.api.signedIn('keys', 'keys')).get('/api/me/sshkey/list');
    const { content } = keys.data<{ content: object[] }>();
    expect(content).toMatchObject([{ title: 'laptop', fingerprint: keyLine('laptop').fingerprint }]);
  });

  it('takes over the admin of the first start, and makes no change when it is repeated', async () => {
    const file = databaseOf(users);
    expect((await logIn('admin', 'old admin')).code).toBe(200);
    expect(await run(file, ...accepted)).toMatchObject({
      status: 0,
      out: expect.stringContaining('No change: 7 unchanged, 0 changed here, 0 refused\n'),
    });
  });

  it('takes what is new or changed in OpenList, and leaves alone what was changed here', async () => {
    const admin = await service.api.signedIn('admin', 'old admin');
    const { id } = await accountNamed(admin, 'off');
    await admin.post(`/api/admin/user/update`, { id, username: 'off', role: 0, base_path: '/here', disabled: true });
    const [plain, ...others] = users;
    const file = databaseOf([
      { ...plain!, password: 'changed there', passwordTimestamp: 1_795_400_000 },
      ...others.map((each) => (each.username === 'off' ? { ...each, basePath: '/there' } : each)),
      { id: 41, username: 'new' },
    ]);
    const { status, out } = await run(file, '--json', ...accepted);
    expect(status).toBe(0);
    const results = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { username: string });
    expect(results.map(({ username }) => username)).toEqual(['plain', 'new']);
    expect((await logIn('plain', 'changed there')).code).toBe(200);
    expect((await logIn('new', 'new')).code).toBe(200);
    expect(await accountNamed(admin, 'off')).toMatchObject({ base_path: '/here' });
  });

  it('takes the settings of the site, and the static token only if it is asked to', async () => {
    const file = databaseOf([], { site_title: 'Our files', s3_buckets: '[1]', token: 'openlist-0a5bb6ac-25f2-426d' });
    const { status, out } = await run(file);
    expect([status, out]).toEqual([0, expect.stringContaining('Took 1 setting\n')]);
    const shown = (await service.api.get('/api/public/settings')).data<Record<string, string>>();
    expect(shown['site_title']).toBe('Our files');
    expect((await run(file, '--static-token')).out).toContain('there    (secret)\nTook 1 setting\n');
    expect((await run(file, '--static-token')).out).toContain('No change: 2 unchanged, 0 changed here, 0 refused\n');
  });

  it('leaves out settings that are longer than Keyfold takes, each or together', async () => {
    const long = 'x'.repeat(200_000);
    const part = '\u0001'.repeat(90_000);
    const cases: readonly Record<string, string>[] = [{ logo: long }, { logo: part, announcement: part }];
    for (const settings of cases) {
      const file = databaseOf([], { ...settings, site_title: 'Our files' });
      const { status, out, err } = await run(file);
      expect(err).toContain('with --accept settings-too-large\n');
      expect([status, out]).toEqual([
        1,
        expect.stringContaining('setting logo\n  outcome  refused, settings-too-large\n'),
      ]);
      expect((await run(file, '--accept', 'settings-too-large')).status).toBe(0);
    }
  });

  it('lists the accounts of earlier imports that the file no longer has', async () => {
    const file = databaseOf(users.slice(1, 4));
    for (const options of [['--dry-run'], []]) {
      const { out } = await run(file, ...options);
      expect(out).toMatch(/^ +3 +plain +no longer in the file$/m);
      expect(out).toContain('3 accounts of earlier imports are no longer in the file\n');
    }
    const { out } = await run(file, '--json');
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([3, 40, 41].map((id) => ({ id, outcome: 'no longer in the file' })));
  });

  it('reports rows that are no accounts and repeated names before it changes anything, and leaves out what is accepted', async () => {
    const odd = [
      { id: 50, username: 'odd', permission: 2 ** 40 },
      { id: 51, username: 'good' },
    ];
    const file = databaseOf([...users.slice(1), ...odd]);
    const database = new DatabaseSync(file);
    database.exec(`CREATE TABLE copied AS SELECT * FROM x_users; DROP TABLE x_users; ALTER TABLE copied RENAME TO x_users;
      INSERT INTO x_users SELECT * FROM x_users WHERE id = 51; UPDATE x_users SET id = 52 WHERE rowid = 9; DROP TABLE x_ssh_public_keys`);
    database.close();
    const problems = ['row-unreadable', 'username-taken'];
    for (const options of [['--dry-run'], []]) {
      const { status, out, err } = await run(file, ...options);
      expect([status, out]).toEqual([1, expect.stringContaining('row-unreadable (permission "1099511627776")')]);
      expect(err).toContain('has no table x_ssh_public_keys: SSH keys are not imported\n');
      expect(err).toContain(`or accept them with ${problems.map((problem) => `--accept ${problem}`).join(' ')}\n`);
    }
    expect((await run(file, ...problems.flatMap((problem) => ['--accept', problem]))).out).toContain('Took 1 account');
    expect((await logIn('good', 'good')).code).toBe(200);
  });

  it('refuses the file of another site, whatever is accepted', async () => {
    const file = databaseOf(users.map((each) => ({ ...each, username: `other ${each.username}`, password: 'other' })));
    const { status, err } = await run(file, ...accepted, '--accept', 'other-site');
    expect([status, err]).toEqual([1, expect.stringContaining('The file is of another site than an earlier import')]);
    expect((await logIn('other plain', 'other')).outcome).toBe(REFUSED);
  });

  it('continues after a kill, and imports each account once', async () => {
    const many = Array.from({ length: 220 }, (__, index) => ({ id: 100 + index, username: `many ${index}` }));
    const file = databaseOf(many);
    // The first 200 are stored before the last hash is wrapped.
    for (const share of ['10 %', '100 %']) {
      const { child, seen, result } = startKeyfold(service.env, 'import', 'openlist', file);
      await seen(share);
      child.kill('SIGKILL');
      await result;
    }
    const { status, out } = await run(file);
    expect(status).toBe(0);
    expect(Number(/(\d+) unchanged/.exec(out)?.[1])).toBeGreaterThanOrEqual(200);
    const admin = await service.api.signedIn('admin', 'old admin');
    const { content } = (await admin.get('/api/admin/user/list?per_page=0')).data<{ content: OpenlistUser[] }>();
    const kept = content.filter(({ username }) => username.startsWith('many'));
    expect(kept.map(({ id, username }) => ({ id, username }))).toEqual(many);
    expect((await logIn('many 219', 'many 219')).code).toBe(200);
  });
});

it('accounts of AList log in with the old password and the rights of their roles', async () => {
  const path = freshPath();
  writeAlistDatabase(
    path,
    [
      { name: 'editors', rights: { '/team': 4_095 } },
      { name: 'split', rights: { '/a': 7, '/b': 511 } },
    ],
    [
      { id: 3, username: 'editor', role: '[3]', basePath: '/team', password: 'Pässwörd ✓', secret: SECRET },
      { id: 4, username: 'split', role: '[4]', basePath: '/a' },
      { id: 5, username: 'lost', role: '[9]' },
      { id: 6, username: 'wide', role: '[4]' },
    ],
  );
  const { api, env, dispose } = await sqlite();
  onTestFinished(dispose);
  const run = (...accepted: readonly string[]) =>
    keyfold(env, 'import', 'openlist', path, ...accepted.flatMap((problem) => ['--accept', problem]));
  const refused = await run('row-unreadable');
  expect(refused).toMatchObject({
    status: 1,
    out: expect.stringContaining('reads-more-than-before (/a, /b before, now all of /)\n'),
    err: 'Nothing was changed. Solve the problems, or accept them with --accept reads-more-than-before\n',
  });
  const { out, status } = await run('row-unreadable', 'reads-more-than-before');
  expect(status).toBe(0);
  expect(out).toContain('roles differ by folder');
  expect(out).toContain('Took 5 accounts');
  expect(await run('row-unreadable')).toMatchObject({ status: 0, out: expect.stringContaining('5 unchanged') });
  const code = oneTimeCode(SECRET, stepOf(Date.now()));
  expect((await api.logIn('editor', 'Pässwörd ✓', code)).code).toBe(200);
  const split = await api.signedIn('split', 'split');
  expect((await split.get('/api/me')).data()).toMatchObject({ id: 4, base_path: '/a', permission: 7, role: 0 });
  const admin = await api.signedIn('admin', 'old admin');
  expect((await admin.get('/api/me')).data()).toMatchObject({ id: 1, role: 2, permission: 0x3fff });
  expect(await accountNamed(admin, 'guest')).toMatchObject({ id: 2, role: 1, disabled: true });
});
