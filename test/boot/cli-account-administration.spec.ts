import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, newAddress, newMember, signedInAs } from '../support/accounts.js';
import { cliScenes, type CliScene } from '../support/cli-scene.js';
import { newKeyLine } from '../support/key-line.js';

const REFUSED = '401 Invalid username or password';

describe.each(cliScenes)('%s', (_, open) => {
  let scene: CliScene;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(() => scene?.dispose());

  const run = (...args: readonly string[]) => scene.run('', ['account', ...args]);
  const logIn = async (username: string, password: string) =>
    (await scene.api()).from(newAddress()).logIn(username, password);
  const admin = async () => adminOf(await scene.api());

  it('a created account can log in, and has the given fields', async () => {
    const fields = ['--base-path', '/team', '--permission', '0x400'];
    const created = await scene.run('pw-created\n', ['account', 'create', 'created', ...fields, '--json']);
    expect(created).toMatchObject({ status: 0, err: '' });
    const member = await signedInAs(await scene.api(), 'created');
    const profile = (await member.get('/api/me')).data();
    expect(profile).toMatchObject({ username: 'created', base_path: '/team', permission: 1024, role: 0 });
    const { id } = JSON.parse(created.out) as { id: number };
    expect(profile).toMatchObject({ id });
    expect((await run('list', '--json')).out).toContain(`\n${created.out}`);
    const again = await scene.run('pw\n', ['account', 'create', 'created']);
    expect(again).toEqual({ status: 1, out: '', err: 'another account has this name. Nothing was changed\n' });
  });

  it('a disabled account is refused by the next request, and continues when it is enabled', async () => {
    const member = await newMember(await admin(), 'paused');
    expect((await run('disable', 'paused')).out).toBe('disabled "paused"\n');
    await scene.api();
    expect((await member.get('/api/me')).outcome).toBe('401 Current user is disabled, replace please');
    expect((await logIn('paused', 'pw-paused')).outcome).toBe(REFUSED);
    expect((await run('enable', 'paused')).out).toBe('enabled "paused"\n');
    await scene.api();
    expect((await member.get('/api/me')).code).toBe(200);
  });

  it('an update changes the next answer, and a renamed account logs in with its new name', async () => {
    const member = await newMember(await admin(), 'former');
    expect((await run('update', 'former', '--sso-id', 'idp|1', '--permission=-1')).out).toBe('updated "former"\n');
    await scene.api();
    expect((await member.get('/api/me')).data()).toMatchObject({ sso_id: 'idp|1', permission: -1, base_path: '/' });
    expect((await run('update', 'former', '--username', 'later')).out).toBe('updated "former"\n');
    expect((await logIn('former', 'pw-former')).outcome).toBe(REFUSED);
    expect((await logIn('later', 'pw-former')).code).toBe(200);
  });

  it('a deleted account is refused by the next request, and its name is free', async () => {
    const member = await newMember(await admin(), 'leaving');
    expect(await run('delete', 'leaving')).toEqual({
      status: 2,
      out: '',
      err: 'keyfold: without a terminal, --yes must confirm the deletion. Nothing was changed\n',
    });
    expect((await run('delete', 'leaving', '--yes')).status).toBe(0);
    await scene.api();
    expect((await member.get('/api/me')).outcome).toBe('401 failed find user: record not found');
    expect((await run('show', 'leaving')).status).toBe(1);
    expect((await scene.run('pw\n', ['account', 'create', 'leaving'])).status).toBe(0);
    expect((await logIn('leaving', 'pw')).code).toBe(200);
  });

  it('an unlocked account admits the source that guessed', async () => {
    await newMember(await admin(), 'blocked');
    const from = (await scene.api()).from(newAddress());
    for (let n = 0; n < 5; n++) await from.logIn('blocked', 'wrong');
    expect((await from.logIn('blocked', 'pw-blocked')).code).toBe(429);
    expect((await run('unlock', 'blocked')).out).toMatch(/^lifted \d blocks? of "blocked"\n$/);
    await scene.api();
    expect((await from.logIn('blocked', 'pw-blocked')).code).toBe(200);
  });

  it('a removed SSH key is gone from the next list', async () => {
    const member = await newMember(await admin(), 'key holder');
    const { line, fingerprint } = newKeyLine();
    (await member.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
    const shown = JSON.parse((await run('keys', 'key holder', '--json')).out) as { id: number };
    expect(shown).toMatchObject({ title: 'laptop', fingerprint, lastUsed: null });
    expect((await run('keys', 'key holder', '--remove', String(shown.id))).status).toBe(0);
    await scene.api();
    expect((await member.get('/api/me/sshkey/list')).data()).toMatchObject({ total: 0 });
  });

  it('hostile names stay on their lines', async () => {
    const name = `a\n${'\u202e'.repeat(3)}\u001b[2J`;
    await scene.run('pw\n', ['account', 'create', name]);
    const { out } = await run('list');
    expect(out).toContain(String.raw`a\n\u202e\u202e\u202e\u0…  general`);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await run('delete', name, '--yes')).out).toContain(String.raw`"a\n\u202e\u202e\u202e\u001b[2J"`);
  });
});
