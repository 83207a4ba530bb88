import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accountNamed, ADMIN_PASSWORD, adminOf, createAccount, newAddress, newMember } from '../support/accounts.js';
import { cliScenes, type CliScene } from '../support/cli-scene.js';
import { keyfoldReading } from '../support/cli.js';
import { enrol } from '../support/two-factor.js';

const NEW_PASSWORD = 'set-by-the-operator';
const REFUSED = '401 Invalid username or password';
const OTHER_KEY = 'k1:/eRlOYIZx3jDoZKqXBObK1xMep0L+oSCKszPvp2CuyY=';

function fileWith(text: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'password'), text);
  return join(folder, 'password');
}

const setPassword = (username: string) => ['account', 'set-password', username];
const disableTwoFactor = (username: string) => ['account', 'disable-two-factor', username];

describe.each(cliScenes)('%s', (_, open, otherKey) => {
  let scene: CliScene;
  const logIn = async (username: string, password: string) =>
    (await scene.api()).from(newAddress()).logIn(username, password);
  const historyOf = async (accountId: number) => (await scene.run('', ['events', 'show', `account-${accountId}`])).out;

  beforeAll(async () => {
    scene = await open();
  });
  afterAll(() => scene?.dispose());

  it('the first line of standard input becomes the password, and every session ends', async () => {
    const admin = await adminOf(await scene.api());
    const member = await newMember(admin, 'forgetful');
    expect(await scene.run(`${NEW_PASSWORD}\nand another line\n`, setPassword('forgetful'))).toEqual({
      status: 0,
      out: 'set a new password for "forgetful" and ended its sessions\n',
      err: '',
    });
    expect((await logIn('forgetful', 'pw-forgetful')).outcome).toBe(REFUSED);
    expect((await member.get('/api/me')).outcome).toBe('401 Password has been changed, login please');
    expect((await logIn('forgetful', NEW_PASSWORD)).code).toBe(200);

    const { id } = await accountNamed(admin, 'forgetful');
    const history = await historyOf(id);
    expect(history).toMatch(/ {2}actor {8}operator\n(?: {2}\w+ +\S+\n)* {2}PasswordChanged v1\n/);
    expect(history.match(/ v1\n/g)).toHaveLength(2);
    expect(history + scene.output()).not.toContain(NEW_PASSWORD);
  });

  it('an empty password, an unknown name and an unreadable file change nothing', async () => {
    await createAccount(await adminOf(await scene.api()), 'settled');
    for (const input of ['', '\r\nsecond line'])
      expect(await scene.run(input, setPassword('settled'))).toEqual({
        status: 2,
        out: '',
        err: 'the new password is empty. Nothing was changed\n',
      });
    expect(await scene.run('', [...setPassword('settled'), '--password-file', '/missing/file'])).toEqual({
      status: 2,
      out: '',
      err: 'keyfold: cannot read /missing/file: ENOENT. Nothing was changed\n',
    });
    for (const [content, problem] of [
      [Buffer.from([0x70, 0xff, 0x77]), 'is not UTF-8'],
      ['x'.repeat(1_048_577), 'has more than 1048576 bytes'],
    ] as const) {
      const file = fileWith(content);
      const refused = { status: 2, out: '', err: `keyfold: ${file} ${problem}. Nothing was changed\n` };
      expect(await scene.run('', [...setPassword('settled'), '--password-file', file])).toEqual(refused);
    }
    for (const args of [setPassword('Settled'), disableTwoFactor('Settled')])
      expect(await scene.run(NEW_PASSWORD, args)).toEqual({
        status: 1,
        out: '',
        err: 'no account "Settled". Nothing was changed\n',
      });
    expect((await logIn('settled', 'pw-settled')).code).toBe(200);
  });

  it('two-factor is disabled with its lock, while password and sessions stay', async () => {
    const admin = await adminOf(await scene.api());
    const member = await newMember(admin, 'locked out');
    await enrol(member);
    const { id } = await accountNamed(admin, 'locked out');
    await scene.lockTwoFactor(id);
    expect((await logIn('locked out', 'pw-locked out')).code).toBe(429);

    const off = { status: 0, out: 'turned two-factor off for "locked out"\n', err: '' };
    expect(await scene.run('', disableTwoFactor('locked out'))).toEqual(off);
    expect((await logIn('locked out', 'pw-locked out')).code).toBe(200);
    expect((await member.get('/api/me')).data()).toMatchObject({ username: 'locked out', otp: false });

    const history = await historyOf(id);
    expect(history).toMatch(/ {2}actor {8}operator\n(?: {2}\w+ +\S+\n)* {2}TwoFactorDisabled v1\n/);
    const again = { ...off, out: 'two-factor is already off for "locked out"\n' };
    expect(await scene.run('', disableTwoFactor('locked out'))).toEqual(again);
    expect(await historyOf(id)).toBe(history);
  });

  it(otherKey === 'refused' ? 'another sealing key is refused' : 'the key of the process counts', async () => {
    const env = { KEYFOLD_SEALING_KEY: OTHER_KEY };
    const { status, err } = await scene.run(NEW_PASSWORD, setPassword('guest'), env);
    const broken = expect.stringContaining('it was sealed with another key of this id');
    expect({ status, err }).toEqual(otherKey === 'refused' ? { status: 1, err: broken } : { status: 0, err: '' });
  });

  it('the content of a file without its last newline becomes the password of the only administrator', async () => {
    const file = fileWith(`${NEW_PASSWORD}\n`);
    expect(await scene.run('', [...setPassword('admin'), '--password-file', file])).toMatchObject({ status: 0 });
    expect((await logIn('admin', ADMIN_PASSWORD)).outcome).toBe(REFUSED);
    expect((await logIn('admin', NEW_PASSWORD)).code).toBe(200);
  });
});

it('on MongoDB, the command does not ask for a password without the sealing key of the gateways', async () => {
  const env = { KEYFOLD_MONGODB_URI: 'mongodb://127.0.0.1:1/keyfold' };
  const { status, out, err } = await keyfoldReading('unread', env, ...setPassword('admin'));
  expect({ status, out }).toEqual({ status: 78, out: '' });
  expect(err).toContain('KEYFOLD_SEALING_KEY: is required to set a password on MongoDB');
});
