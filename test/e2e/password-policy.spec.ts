import { describe, expect, it } from 'vitest';
import { accountNamed, ADMIN_PASSWORD, adminOf, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfoldReading } from '../support/cli.js';
import { failedStart } from '../support/failed-start.js';
import { sharedApp } from '../support/shared-app.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { staticHash } from '../support/static-hash.js';

const POLICY = { KEYFOLD_PASSWORD_MIN_LENGTH: '10', KEYFOLD_PASSWORD_REFUSE_COMMON: 'true' };
const TOO_SHORT = '400 the password is too short: at least 10 characters';
const TOO_COMMON = '400 the password is too common, choose another one';
/** Long enough, but on the list of common passwords. */
const COMMON = 'Qwertyuiop';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
for (const password of ['short', COMMON]) await createAccount(await adminOf(api), password, { password });
await createAccount(await adminOf(api), 'member');
await app.restart(POLICY);
const admin = await adminOf(api);

const logIn = async (name: string, password: string) => (await api.from(newAddress()).logIn(name, password)).code;

describe('a password policy', () => {
  it('refuses new passwords wherever the plain text is known, without changing anything', async () => {
    const member = await signedInAs(api, 'member');
    const { id } = await accountNamed(admin, 'member');
    for (const [password, outcome] of [
      ['nine char', TOO_SHORT],
      [COMMON, TOO_COMMON],
    ] as const) {
      const user = { username: 'other', password, role: 0 };
      expect((await admin.post('/api/admin/user/create', user)).outcome).toBe(outcome);
      const update = { id, username: 'renamed', password, role: 0 };
      expect((await admin.post('/api/admin/user/update', update)).outcome).toBe(outcome);
      expect((await member.post('/api/me/update', { username: 'renamed', password })).outcome).toBe(outcome);
    }
    expect((await member.get('/api/me')).data()).toMatchObject({ username: 'member' });
    expect((await admin.get('/api/admin/user/list')).data<{ total: number }>().total).toBe(5);
    expect((await createAccount(admin, 'the-next-one')).id).toBe(id + 1);
  });

  it('accepts other passwords, and changes without a password', async () => {
    const member = await signedInAs(api, 'member');
    expect((await member.post('/api/me/update', { username: 'member', sso_id: 'x' })).outcome).toBe('200 success');
    const password = 'ten chars!';
    expect((await member.post('/api/me/update', { username: 'member', password })).outcome).toBe('200 success');
    expect(await logIn('member', password)).toBe(200);
  });

  it('accepts logins with older passwords, also with the static hash', async () => {
    expect(await logIn('short', 'short')).toBe(200);
    const hash = { username: COMMON, password: staticHash(COMMON) };
    expect((await api.from(newAddress()).post('/api/auth/login/hash', hash)).code).toBe(200);
  });

  it.each([
    ['by the running process', true],
    ["by the command's own settings", false],
  ])('refuses passwords set by the operator, %s', async (_, isRunning) => {
    if (isRunning && !app.isRunning) await app.restart();
    if (!isRunning && app.isRunning) await app.stop();
    const env = { KEYFOLD_DATA_DIR: app.dataDir, ...(!isRunning && POLICY) };
    const set = (password: string) => keyfoldReading(password, env, 'account', 'set-password', 'short');
    expect(await set('short')).toEqual({
      status: 2,
      out: '',
      err: 'the password is too short: at least 10 characters. Nothing was changed\n',
    });
    expect(await set(COMMON)).toMatchObject({ status: 2, err: expect.stringMatching(/^the password is too common/) });
    expect(await set('not so short')).toMatchObject({ status: 0 });
  });
});

describe('the first start under a policy', () => {
  it('refuses a chosen first password that violates it, and names the setting', async () => {
    const { exitCode, output } = await failedStart({ KEYFOLD_PASSWORD_MIN_LENGTH: '20' });
    expect(exitCode).toBe(78);
    expect(output).toContain('KEYFOLD_ADMIN_PASSWORD: the password is too short: at least 20 characters');
    expect(output).not.toContain(ADMIN_PASSWORD);
  });

  it('generates passwords for admin and guest under any policy', async () => {
    const strict = await StandaloneProcess.start({
      KEYFOLD_PASSWORD_MIN_LENGTH: '128',
      KEYFOLD_ADMIN_PASSWORD: undefined,
    });
    await strict.dispose();
  });

  it('ignores the chosen password once an admin exists', async () => {
    await app.restart({ KEYFOLD_ADMIN_PASSWORD: 'x' });
    expect(await logIn('admin', ADMIN_PASSWORD)).toBe(200);
  });
});
