import { ROLE_ADMIN } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { LoginThrottle } from '@keyfold/security';
import { beforeEach, expect, it } from 'vitest';
import { openScene, type OperatorScene } from '../../testing/operator-scene.js';
import type { OperatorArgs } from '../commands/index.js';

const NEW: OperatorArgs<'account create'> = {
  username: 'bob',
  password: 'correct horse',
  basePath: '/',
  permission: 0,
  disabled: false,
  ssoId: '',
  json: true,
};

let scene: OperatorScene;
beforeEach(async () => {
  scene = await openScene();
  await scene.register(1, 'admin', ROLE_ADMIN);
  await scene.register(7, 'ann');
});

const create = (differing: Partial<typeof NEW> = {}) =>
  scene.run({ command: 'account create', args: { ...NEW, ...differing } });
const show = async (username: string) => {
  const { out } = await scene.run({ command: 'account show', args: { username, json: true } });
  return JSON.parse(out[0]!) as Record<string, unknown>;
};
const named = (
  command: `account ${'disable' | 'enable' | 'delete' | 'unlock' | 'disable-two-factor'}`,
  username: string,
) => scene.run({ command, args: { username } });
const update = (username: string, changes: OperatorArgs<'account update'>['changes']) =>
  scene.run({ command: 'account update', args: { username, changes, json: false } });
const history = (id: number) => scene.ports.store.readStreams([{ stream: accountStream(id).stream, version: 0 }]);
const done = (line: string) => ({ status: 0, out: [line], err: [] });
const refused = (line: string) => ({ status: 1, out: [], err: [`${line}. Nothing was changed`] });

it('a new account has the given fields and the general role', async () => {
  const { status, out } = await create({ basePath: 'team//x/', permission: 0x400, disabled: true, ssoId: 'idp|1' });
  expect(status).toBe(0);
  expect(JSON.parse(out[0]!)).toEqual({
    id: expect.any(Number),
    username: 'bob',
    role: 0,
    disabled: true,
    basePath: '/team/x',
    permission: 0x400,
    ssoId: 'idp|1',
    allowLdap: true,
    twoFactor: 'off',
    recoveryCodesLeft: null,
    passwordChanged: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect(await show('bob')).toEqual(JSON.parse(out[0]!));
  const { id } = await show('bob');
  expect((await history(Number(id)))[0]).toMatchObject({ actor: 'operator' });
  expect(JSON.stringify(await history(Number(id)))).not.toContain('correct horse');
});

it('of a refused creation nothing is stored', async () => {
  expect(await create({ username: 'ann' })).toEqual(refused('another account has this name'));
  expect(await create({ username: 'x'.repeat(4_097) })).toEqual(
    refused('the user name is too long: at most 4096 bytes'),
  );
  for (const differing of [{ password: '' }, { username: '' }])
    expect(await create(differing)).toMatchObject({ status: 2, out: [] });
  expect((await scene.run({ command: 'account list', args: { json: true } })).out).toHaveLength(2);
});

it('an update changes only what it names, and never undoes another change', async () => {
  await update('ann', { basePath: '/a', permission: 5, ssoId: 'idp|1', allowLdap: false });
  const [one, other] = await Promise.all([update('ann', { basePath: '/b' }), update('ann', { permission: 6 })]);
  expect([one, other]).toEqual([done('updated "ann"'), done('updated "ann"')]);
  expect(await show('ann')).toMatchObject({ basePath: '/b', permission: 6, ssoId: 'idp|1', allowLdap: false });
  const before = await history(7);
  expect(await update('ann', { basePath: '/b' })).toEqual(done('nothing differs for "ann"'));
  expect(await history(7)).toEqual(before);
});

it('a renamed account has the new name and releases the old one', async () => {
  expect(await update('ann', { username: 'anna' })).toEqual(done('updated "ann"'));
  expect(await show('anna')).toMatchObject({ id: 7 });
  expect((await create({ username: 'ann' })).status).toBe(0);
  expect(await update('anna', { username: 'ann' })).toEqual(refused('another account has this name'));
  expect(await update('anna', { username: '' })).toMatchObject({ status: 2 });
});

it('an account is disabled and enabled once, but an administrator never', async () => {
  expect(await named('account disable', 'ann')).toEqual(done('disabled "ann"'));
  expect(await show('ann')).toMatchObject({ disabled: true });
  expect(await named('account disable', 'ann')).toEqual(done('"ann" is already disabled'));
  expect(await named('account enable', 'ann')).toEqual(done('enabled "ann"'));
  expect(await named('account enable', 'ann')).toEqual(done('"ann" is already enabled'));
  expect(await named('account disable', 'admin')).toEqual(refused('an administrator cannot be disabled'));
  expect((await history(7)).map(({ actor }) => actor)).toEqual(['test', 'operator', 'operator']);
});

it('a deleted account is gone, and the administrator stays', async () => {
  expect(await named('account delete', 'ann')).toEqual(done('deleted the account "ann" with its keys and sessions'));
  expect(await named('account delete', 'ann')).toEqual(refused('no account "ann"'));
  expect(await named('account delete', 'admin')).toEqual(refused('the guest and administrators cannot be deleted'));
});

it('an unlocked account has no blocks, and other accounts keep theirs', async () => {
  const throttle = new LoginThrottle(scene.ports.throttle, Date.now);
  const guess = async (username: string) => {
    const [{ state }] = await scene.ports.loader.load(accountStream(username === 'ann' ? 7 : 1));
    const attempt = { factor: 'password', account: state.nameHash, address: '192.0.2.7' } as const;
    return (await throttle.admit(attempt)).admitted;
  };
  for (let n = 0; n < 5; n++) for (const username of ['ann', 'admin']) await guess(username);
  expect(await guess('ann')).toBe(false);
  expect((await named('account unlock', 'ann')).out[0]).toMatch(/^lifted \d+ blocks? of "ann"$/);
  expect(await guess('ann')).toBe(true);
  expect(await guess('admin')).toBe(false);
  expect(await named('account unlock', 'ann')).toEqual(done('"ann" was not locked or blocked'));
});

it('an unlocked second factor stays on, and a disabled one is off and needs no lock', async () => {
  const now = Date.now();
  await scene.change(7, { type: 'StartTwoFactorEnrolment', sealedSecret: 'sealed', now });
  await scene.change(7, { type: 'EnableTwoFactor', enrolment: 1, step: 1, now });
  await scene.change(7, { type: 'LockTwoFactor', failures: 100 });
  expect(await show('ann')).toMatchObject({ twoFactor: 'locked' });
  expect(await named('account unlock', 'ann')).toEqual(done('lifted the lock of the one-time code of "ann"'));
  expect(await show('ann')).toMatchObject({ twoFactor: 'on' });
  await scene.change(7, { type: 'LockTwoFactor', failures: 100 });
  expect(await named('account disable-two-factor', 'ann')).toEqual(done('turned two-factor off for "ann"'));
  expect(await show('ann')).toMatchObject({ twoFactor: 'off' });
  const before = await history(7);
  expect(await named('account disable-two-factor', 'ann')).toEqual(done('two-factor is already off for "ann"'));
  expect(await history(7)).toEqual(before);
});

it('an empty password and an unknown name set none', async () => {
  const setPassword = (username: string, password: string) =>
    scene.run({ command: 'account set-password', args: { username, password } });
  const empty = { status: 2, out: [], err: ['the new password is empty. Nothing was changed'] };
  expect(await setPassword('ann', '')).toEqual(empty);
  expect(await setPassword('Ann', 'correct horse')).toEqual(refused('no account "Ann"'));
  expect(await named('account disable-two-factor', 'Ann')).toEqual(refused('no account "Ann"'));
});

it('keys are listed with their use, and only keys of the account are removed', async () => {
  const keys = (username: string, remove?: number) =>
    scene.run({ command: 'account keys', args: { username, remove, json: true } });
  const [laptop, desktop] = [await scene.addSshKey(7, 'laptop'), await scene.addSshKey(7, 'a\nb')];
  const { out } = await keys('ann');
  expect(out.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ id: laptop, title: 'laptop', lastUsed: null }),
    {
      id: desktop,
      title: 'a\nb',
      fingerprint: expect.stringMatching(/^SHA256:/),
      md5Fingerprint: expect.stringMatching(/^MD5:/),
      type: 'ssh-ed25519',
      bits: 256,
      comment: 'a\nb@example.org',
      added: expect.stringMatching(/Z$/),
      lastUsed: null,
      expires: null,
      expired: false,
    },
  ]);
  expect(await keys('admin', laptop)).toEqual(refused('the account has no such SSH key'));
  expect(await keys('ann', desktop)).toEqual(done(`removed the SSH key ${desktop} ("a\\nb") of "ann"`));
  expect(await keys('ann', desktop)).toEqual(refused('the account has no such SSH key'));
  expect((await keys('ann')).out).toHaveLength(1);
});
