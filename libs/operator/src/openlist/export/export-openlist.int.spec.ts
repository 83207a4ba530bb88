import { openlistHashOf, staticHash } from '@keyfold/security';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { keyLine } from '../../../../../test/support/key-line.js';
import {
  writeAlistDatabase,
  writeOpenlistDatabase,
  type OpenlistUser,
} from '../../../../../test/support/openlist-database.js';
import { openScene, operatorStores, type OperatorScene } from '../../../testing/operator-scene.js';
import type { OperatorOutput } from '../../command-run.js';
import type { OperatorRequest } from '../../commands/index.js';
import { UnusableOpenlistDatabase } from '../database/openlist-file.js';
import { eraseAccountData } from '../../store/erasure/erase-account-data.js';
import { importOpenlist } from '../import/import-openlist.js';
import { runCommand } from '../../run-command.js';
import { exportOpenlist } from './export-openlist.js';

const SECRET = 'PYCIP4HQ7QVN7SND2JXR62LZYL4C3QLW';
const ADDED = '2026-11-22 14:07:54.237+00:00';
const laptop = { title: 'laptop', line: keyLine('laptop').line, addedTime: ADDED };
const users: readonly OpenlistUser[] = [
  { id: 3, username: 'plain', password: 'old', basePath: '/a b', permission: 256, ssoId: 'sub|1' },
  { id: 5, username: 'two factor', secret: SECRET, disabled: true },
  { id: 9, username: 'keys', keys: [laptop] },
];
const signal = new AbortController().signal;

let folder: string;
let file: string;
let old: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, 'new.db');
  old = join(folder, 'data.db');
  writeOpenlistDatabase(old, users);
});

function collecting() {
  const lines: string[] = [];
  const write = async (line: string) => void lines.push(line);
  return { lines, output: { out: write, err: write } satisfies OperatorOutput };
}

async function importFrom(path: string, { ports }: OperatorScene) {
  const { lines, output } = collecting();
  const run = {
    send: (request: OperatorRequest, to: OperatorOutput) => runCommand(ports, request, to, signal),
    output,
    signal,
  };
  const given = { file: path, accept: [], staticToken: true, silent: false, dryRun: false, json: false };
  return { status: await importOpenlist(given, run), lines };
}

async function exportTo(
  path: string,
  scene: OperatorScene,
  options: { passwordsFrom?: string; refusal?: string; lags?: boolean } = {},
) {
  const { refusal, lags = false, ...given } = options;
  const { ports } = scene;
  if (!lags) await scene.project();
  const { lines, output } = collecting();
  const run = {
    send: (to: OperatorOutput) => runCommand(ports, { command: 'export openlist', args: {} }, to, signal),
    confirm: async () => refusal,
    output,
    signal,
  };
  const status = await exportOpenlist({ file: path, ...given }, run);
  return { status, lines };
}

function rowsOf(sql: string, path = file) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

const newPasswords = () =>
  readFileSync(`${file}.passwords`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; username: string; password: string });

describe.each(operatorStores)('an export on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await open();
    await scene.startFirst();
    expect(await importFrom(old, scene)).toMatchObject({ status: 0 });
  });

  it('has the accounts, keys and second factors as OpenList had them, and passwords that open them', async () => {
    expect(await exportTo(file, scene)).toEqual({
      status: 0,
      lines: [
        '5 accounts with 1 SSH key, and 0 changed settings',
        '5 accounts cannot keep the password and will get a new one',
        `Wrote ${file}`,
        `Wrote the new passwords to ${file}.passwords. Delete it after use`,
      ],
    });
    const columns = `id, username, pwd_ts, password, base_path, role, disabled, permission, otp_secret, sso_id, authn, allow_ldap`;
    const accounts = `SELECT ${columns} FROM x_users ORDER BY id`;
    expect(rowsOf(accounts)).toEqual(rowsOf(accounts, old));
    const keys = 'SELECT user_id, title, key_str, added_time FROM x_ssh_public_keys';
    expect(rowsOf(keys)).toEqual(rowsOf(keys, old));
    expect(rowsOf('SELECT fingerprint FROM x_ssh_public_keys')).toEqual([
      { fingerprint: keyLine('laptop').fingerprint },
    ]);
    const stored = rowsOf('SELECT id, username, pwd_hash, salt FROM x_users ORDER BY id');
    expect(
      newPasswords().map(({ password, ...account }, index) => {
        const salt = String(stored[index]!['salt']);
        return { ...account, pwd_hash: openlistHashOf(staticHash(password), salt), salt };
      }),
    ).toEqual(stored);
    expect(rowsOf('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    for (const name of [file, `${file}.passwords`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).toSorted()).toEqual(['data.db', 'new.db', 'new.db.passwords']);
  });

  it('takes unchanged passwords from the database that was imported', async () => {
    await scene.run({ command: 'account set-password', args: { username: 'plain', password: 'changed' } });
    const { lines } = await exportTo(file, scene, { passwordsFrom: old });
    expect(lines).toContain('1 account cannot keep the password and will get a new one');
    expect(newPasswords().map(({ username }) => username)).toEqual(['plain']);
    const kept = 'SELECT id, pwd_hash, salt FROM x_users WHERE id <> 3 ORDER BY id';
    expect(rowsOf(kept)).toEqual(rowsOf(kept, old));
  });

  it('is recognised by an import, which changes no account', async () => {
    await scene.register(20, 'created here');
    await scene.addSshKey(20, 'phone');
    await exportTo(file, scene);
    expect(await importFrom(file, scene)).toEqual({
      status: 0,
      lines: ['No change: 6 unchanged, 0 changed here, 0 refused'],
    });
  });

  it('is recognised where accounts have other ids here and their passwords of OpenList, also if those ids were erased', async () => {
    const other = await open();
    await other.startFirst();
    for (const id of [3, 4, 5]) await other.register(id, `here ${id}`);
    await importFrom(old, other);
    const { accountId: erased } = (await other.ports.names.accountOf('two factor'))!;
    await other.change(erased, { type: 'DeleteAccount' });
    await eraseAccountData(other.ports, erased, signal);
    await other.change(3, { type: 'DeleteAccount' });
    await exportTo(file, other, { passwordsFrom: old });
    expect(newPasswords()).toHaveLength(2);
    expect(await importFrom(file, other)).toEqual({
      status: 0,
      lines: ['No change: 6 unchanged, 0 changed here, 0 refused'],
    });
  });

  it('is imported again where OpenList changed it since', async () => {
    await exportTo(file, scene);
    const database = new DatabaseSync(file);
    database.exec(`UPDATE x_users SET pwd_hash = '${'a'.repeat(64)}', salt = 'a new salt' WHERE id = 3;
      UPDATE x_users SET base_path = '/there' WHERE id = 9`);
    database.close();
    expect((await importFrom(file, scene)).lines.at(-1)).toBe(
      'Took 2 accounts with 0 new SSH keys; 3 unchanged, 0 changed here, 0 refused',
    );
  });

  it.each([{}, { passwordsFrom: 'alist.db' }])(
    'is imported again with the new passwords that OpenList has for accounts of AList with other ids here: %o',
    async ({ passwordsFrom }) => {
      const other = await open();
      await other.startFirst();
      await other.register(3, 'here');
      const alist = join(folder, 'alist.db');
      writeAlistDatabase(
        alist,
        [{ name: 'readers', rights: { '/': 0 } }],
        ['ann', 'bea', 'cid'].map((username, index) => ({ id: 3 + index, username, role: '[3]' })),
      );
      expect(await importFrom(alist, other)).toMatchObject({ status: 0 });
      await exportTo(file, other, passwordsFrom === undefined ? {} : { passwordsFrom: alist });
      const database = new DatabaseSync(file);
      database.exec(`UPDATE x_users SET pwd_hash = '${'a'.repeat(64)}', salt = 'of ' || username, pwd_ts = 4e9
        WHERE username IN ('admin', 'guest', 'ann', 'bea')`);
      database.close();
      expect(await importFrom(file, other)).toMatchObject({
        status: 0,
        lines: expect.arrayContaining(['Took 4 accounts with 0 new SSH keys; 2 unchanged, 0 changed here, 0 refused']),
      });
      expect((await importFrom(file, other)).lines).toEqual(['No change: 6 unchanged, 0 changed here, 0 refused']);
    },
  );

  it.each([
    ['of an account with another id here', ['temp'], 'temp'],
    ['of an account with another id here, and has a new password', ['temp'], 'new'],
    ['of a new account', [], 'new'],
  ])(
    'is told from a file of OpenList, where an imported name is refused if it is now that %s',
    async (_, temporary, password) => {
      const other = await open();
      await other.startFirst();
      await other.register(3, 'here');
      await other.ports.counter.skipTo('account', 4);
      const sites = [
        [{ id: 3, username: 'frontdesk' }],
        [{ id: 3, username: 'frontdesk' }, ...temporary.map((username) => ({ id: 4, username, password: username }))],
      ];
      for (const [index, site] of sites.entries()) {
        writeOpenlistDatabase(join(folder, `${index}.db`), site);
        await importFrom(join(folder, `${index}.db`), other);
      }
      expect(await other.ports.names.accountOf('frontdesk')).toMatchObject({ accountId: 4 });
      for (const name of temporary) expect(await other.ports.names.accountOf(name)).toMatchObject({ accountId: 5 });
      const last = join(folder, 'last.db');
      writeOpenlistDatabase(last, [{ id: 4, username: 'frontdesk', password, secret: SECRET }]);
      const { status, lines } = await importFrom(last, other);
      expect([status, lines.join()]).toEqual([1, expect.stringContaining('username-taken')]);
    },
  );

  it('gives another service the same accounts', async () => {
    await exportTo(file, scene);
    const other = await open();
    await other.startFirst();
    expect(await importFrom(file, other)).toMatchObject({ status: 0 });
    const again = join(folder, 'again.db');
    await exportTo(again, other);
    for (const sql of [
      'SELECT id, username, pwd_ts, base_path, role, disabled, permission, otp_secret, sso_id FROM x_users ORDER BY id',
      'SELECT * FROM x_ssh_public_keys',
    ])
      expect(rowsOf(sql, again)).toEqual(rowsOf(sql));
  });

  it('counts what it leaves behind, and has the changed settings', async () => {
    await scene.addAccessToken(3, 'backup');
    await scene.addAppPassword(3, 'sftp');
    await scene.startSession(3);
    const keyId = await scene.addSshKey(3, 'expiring');
    const runner = await scene.ports.runner();
    const { sshKeyRingStream } = await import('@keyfold/projections');
    const expiresAt = Date.now() + 86_400_000;
    const command = { type: 'UpdateSshKey', keyId, expiresAt, now: Date.now() } as const;
    await runner.run(sshKeyRingStream(3), command, { actor: 'test', correlation: 'test' });
    const settings = [
      { key: 'site_title', value: 'Files' },
      { key: 'ldap_manager_password', value: 'secret' },
    ];
    await scene.run({ command: 'settings import', args: { settings, dryRun: false, json: false } });
    expect((await exportTo(file, scene)).lines.slice(0, 2)).toEqual([
      '5 accounts with 1 SSH key, and 2 changed settings',
      'Left behind: 1 session, 1 access token, 1 app password, 1 SSH key with an expiry',
    ]);
    expect(rowsOf('SELECT key, value, "group", flag FROM x_setting_items')).toEqual([
      { key: 'site_title', value: 'Files', group: 1, flag: 0 },
      { key: 'ldap_manager_password', value: 'secret', group: 8, flag: 1 },
    ]);
  });

  it('keeps the ids of deleted accounts from new ones', async () => {
    const account = {
      username: 'gone',
      password: 'pw',
      basePath: '/',
      permission: 0,
      disabled: false,
      ssoId: '',
      json: false,
    };
    await scene.run({ command: 'account create', args: account });
    await scene.run({ command: 'account delete', args: { username: 'gone' } });
    await exportTo(file, scene);
    expect(rowsOf(`SELECT seq, typeof(seq) AS type FROM sqlite_sequence WHERE name = 'x_users'`)).toEqual([
      { seq: 10, type: 'integer' },
    ]);
  });
});

it('an export beside other processes waits for the list, and is refused if no process projects', async () => {
  const [, openShared] = operatorStores.find(([name]) => name === 'MongoDB')!;
  const scene = await openShared();
  await scene.startFirst();
  const { status, lines } = await exportTo(file, scene, { lags: true });
  expect([status, lines.join()]).toEqual([1, expect.stringContaining('the list of accounts may lack some')]);
  expect(readdirSync(folder)).toEqual(['data.db']);
});

describe('an export', () => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await openScene();
    await scene.register(20, 'ann');
  });

  it('writes names of malformed UTF-8 as OpenList does', async () => {
    await scene.register(21, 'caf\udce9');
    await scene.register(22, 'caf\udcea');
    await exportTo(file, scene);
    const names = rowsOf('SELECT hex(username) AS name FROM x_users WHERE id > 20 ORDER BY id');
    expect(names).toEqual([{ name: '636166E9' }, { name: '636166EA' }]);
  });

  it('writes nothing if new passwords are not confirmed', async () => {
    const { status, lines } = await exportTo(file, scene, { refusal: 'not confirmed' });
    expect({ status, last: lines.at(-1) }).toEqual({ status: 2, last: 'not confirmed. Nothing was written' });
    expect(readdirSync(folder)).toEqual(['data.db']);
  });

  it.each(['new.db', 'new.db.passwords', 'new.db.part'])('replaces no %s', async (name) => {
    writeFileSync(join(folder, name), 'kept');
    const { status, lines } = await exportTo(file, scene);
    expect(status).toBe(1);
    expect(lines).toEqual([
      `${join(folder, name)} exists already. Name a new file, or move that one away. Nothing was written`,
    ]);
    expect(readdirSync(folder).toSorted()).toEqual(['data.db', name]);
  });

  it('refuses passwords from a file that is no database of OpenList', async () => {
    writeFileSync(old, 'text');
    const { status, lines } = await exportTo(file, scene, { passwordsFrom: old });
    expect(status).toBe(2);
    expect(lines.join()).toMatch(/Name the file data.db of OpenList.* Nothing was written$/);
    expect(readdirSync(folder)).toEqual(['data.db']);
  });

  it('names the first error and keeps its exit status if a part cannot be removed after it, either', async () => {
    const part = `${file}.part`;
    const send = async () => {
      rmSync(part);
      mkdirSync(part);
      throw new UnusableOpenlistDatabase('cannot read data.db');
    };
    const { lines, output } = collecting();
    const confirm = async () => undefined;
    expect(await exportOpenlist({ file }, { send, confirm, output, signal })).toBe(2);
    expect(lines.join()).toMatch(/^cannot read data\.db; .*new\.db\.part.*\. Nothing was written$/);
  });

  it('reports a folder that is missing', async () => {
    const { status, lines } = await exportTo(join(folder, 'missing', 'new.db'), scene);
    expect(status).toBe(1);
    expect(lines.join()).toMatch(/cannot write .*ENOENT.*Nothing was written/);
  });

  it('leaves no file if an account cannot be read', async () => {
    await scene.ports.store.append({
      partition: '20',
      stream: 'account-20',
      version: 2,
      command: { id: 'broken', type: 'Test', hash: '' },
      at: 1,
      actor: 'test',
      correlation: 'test',
      events: [{ type: 'OfALaterVersion', v: 1, data: {} }],
    });
    const { status } = await exportTo(file, scene);
    expect(status).toBe(1);
    expect(readdirSync(folder)).toEqual(['data.db']);
  });
});
