import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount, updateAccount } from '../support/account-changes.js';
import { ADMIN_PASSWORD, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { eventually } from '../support/eventually.js';
import { keyLine } from '../support/key-line.js';
import { logLines } from '../support/log-lines.js';
import { addKey, SFTP, servedLogins, WEBDAV } from '../support/openssh/file-servers.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';
import { codeNow, enrol } from '../support/two-factor.js';

const WRITE_SFTP = 1 << 11;
const { line } = keyLine('laptop');
const blob = line.split(' ')[1]!;

const { app, api, admin, lookUps, servers } = await servedLogins({ KEYFOLD_THREADS: '2' });
let annsId: number;

beforeAll(async () => {
  ({ id: annsId } = await createAccount(admin, 'ann', { permission: SFTP | WRITE_SFTP, base_path: '/ann' }));
  await addKey(await signedInAs(api, 'ann'), 'laptop', line);
});

/** A login over SFTP by password `pw-<name>`, from an address of its own unless the fields differ. */
const ask = (username: string, fields: object = {}) => {
  const password = 'public_key' in fields ? {} : { password: `pw-${username}` };
  return servers.post('/logins', { protocol: 'sftp', username, ...password, address: newAddress(), ...fields });
};
const answerTo = async (...login: Parameters<typeof ask>) => (await ask(...login)).data();
const factorsOf = async (...login: Parameters<typeof ask>) =>
  (await ask(...login)).data<{ factors: string[] }>().factors;
const REFUSED = { account: null, factors: [] };
const NOT_PERMITTED = { ...REFUSED, not_permitted: true };

/** Creates an account with two-factor and returns its secret. */
async function protectedAccount(username: string, permission = SFTP): Promise<string> {
  await createAccount(admin, username, { permission });
  return enrol(await signedInAs(api, username));
}

describe('a login by password', () => {
  it('is answered with the account, its base path and its right to write', async () => {
    const account = { id: annsId, username: 'ann', base_path: '/ann', permission: SFTP | WRITE_SFTP, write: true };
    expect(await answerTo('ann')).toEqual({ account, factors: ['password'] });
  });

  it('needs the permission of its protocol, whatever the role', async () => {
    await createAccount(admin, 'dav', { permission: WEBDAV, role: 0 });
    expect(await answerTo('dav', { protocol: 'webdav' })).toMatchObject({ account: { username: 'dav', write: false } });
    expect(await answerTo('dav', { protocol: 'sftp' })).toEqual(NOT_PERMITTED);
    expect(await answerTo('ann', { protocol: 'webdav' })).toEqual(NOT_PERMITTED);
    expect(await factorsOf('ann', { protocol: 'ftp' })).toEqual(['password']);
    const chief = { password: ADMIN_PASSWORD };
    expect(await factorsOf('admin', { ...chief, protocol: 'webdav' })).toEqual(['password']);
    expect(await answerTo('admin', { ...chief, protocol: 'sftp' })).toEqual(NOT_PERMITTED);
  });

  it('starts no session', async () => {
    const member = await signedInAs(api, 'ann');
    const sessions = async () => (await member.get('/api/me/sessions')).data<unknown[]>().length;
    const before = await sessions();
    expect(await factorsOf('ann')).toEqual(['password']);
    expect(await sessions()).toBe(before);
  });

  it('gets the same answer for every reason of a refusal, unless the password is right', async () => {
    for (const name of ['gone', 'off']) await createAccount(admin, name, { permission: SFTP });
    await deleteAccount(admin, 'gone');
    await updateAccount(admin, 'off', { disabled: true });
    await createAccount(admin, 'bare', { permission: 0 });
    const answers = [await ask(randomUUID()), await ask('ann', { password: 'wrong' })];
    answers.push(await ask('gone'));
    for (const username of ['off', 'bare']) {
      answers.push(await ask(username, { password: 'wrong' }));
      answers.push(await ask(username, { password: undefined, public_key: line }));
      expect(await answerTo(username)).toEqual(NOT_PERMITTED);
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.data()).toEqual(REFUSED);
  });

  it('is refused from the next request on after its account was disabled, or got another password or permission', async () => {
    await createAccount(admin, 'changing', { permission: SFTP });
    expect(await factorsOf('changing')).toEqual(['password']);
    const changes = [
      [{ disabled: true }, NOT_PERMITTED],
      [{ disabled: false, permission: 0 }, NOT_PERMITTED],
      [{ permission: SFTP, password: 'another' }, REFUSED],
    ] as const;
    for (const [change, answer] of changes) {
      await updateAccount(admin, 'changing', change);
      expect(await answerTo('changing')).toEqual(answer);
    }
    expect(await factorsOf('changing', { password: 'another' })).toEqual(['password']);
  });
});

describe('a login with two-factor', () => {
  it('by the password alone is told to bring a code', async () => {
    await protectedAccount('alone');
    expect(await answerTo('alone')).toEqual({ ...REFUSED, code_required: true });
    expect(await answerTo('alone', { password: 'wrong' })).toEqual(REFUSED);
  });

  it('is right once with the code after the password', async () => {
    const secret = await protectedAccount('appended');
    const password = `pw-appended${codeNow(secret, 1)}`;
    expect(await factorsOf('appended', { password })).toEqual(['password', 'one-time-code']);
    expect(await answerTo('appended', { password })).toEqual(REFUSED);
    expect((await api.logIn('appended', 'pw-appended', codeNow(secret, 1))).code).not.toBe(200);
  });

  it('is right once with the code in a field of its own, also for a password that ends with six digits', async () => {
    await createAccount(admin, 'digits', { permission: SFTP, password: 'pw-123456' });
    const owner = await api.from(newAddress()).signedIn('digits', 'pw-123456');
    const secret = await enrol(owner);
    const login = { password: 'pw-123456', code: codeNow(secret, 1) };
    expect(await answerTo('digits', { ...login, code: '' })).toEqual({ ...REFUSED, code_required: true });
    expect(await factorsOf('digits', login)).toEqual(['password', 'one-time-code']);
    expect(await answerTo('digits', login)).toEqual(REFUSED);
  });

  it('is right for one of 20 servers that present one code at the same time', async () => {
    const secret = await protectedAccount('racing');
    const password = `pw-racing${codeNow(secret, 1)}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => factorsOf('racing', { password, address: `10.${n}.0.1` })),
    );
    expect(answers.filter(({ length }) => length > 0)).toEqual([['password', 'one-time-code']]);
  });

  it('is right once with a recovery code', async () => {
    const secret = await protectedAccount('recovering');
    const owner = await api.from(newAddress()).signedIn('recovering', 'pw-recovering', codeNow(secret, 1));
    const generated = await owner.post('/api/auth/2fa/recovery_codes', { password: 'pw-recovering' });
    const [code] = generated.data<{ recovery_codes: string[] }>().recovery_codes;
    expect(await factorsOf('recovering', { code })).toEqual(['password', 'recovery-code']);
    expect(await answerTo('recovering', { code })).toEqual(REFUSED);
  });

  it('is in the history of the account, with the protocol', async () => {
    const secret = await protectedAccount('historic');
    expect(await factorsOf('historic', { password: `pw-historic${codeNow(secret, 1)}` })).toHaveLength(2);
    const owner = await api.from(newAddress()).signedIn('historic', 'pw-historic', codeNow(secret, -1));
    const { content } = (await owner.get('/api/me/activity')).data<{ content: { type: string }[] }>();
    expect(content.find(({ type }) => type === 'account.one-time-code-used')).toMatchObject({
      details: { protocol: 'sftp' },
    });
  });
});

describe('a login by key', () => {
  it.each([
    ['a line', line],
    ['the base64 of the key', blob],
  ])('is answered with the account, if the server sends %s', async (_form, publicKey) => {
    expect(await answerTo('ann', { public_key: publicKey })).toMatchObject({
      account: { id: annsId, base_path: '/ann', write: true },
      factors: ['public-key'],
    });
  });

  it('is refused for the key of another account, without the permission, and for anything that is no key', async () => {
    const { line: another } = keyLine('another');
    for (const publicKey of [another, another.split(' ')[1], 'x', 'ssh-ed25519 AAAA', `${line}\n${another}`, 'AAAA'])
      expect(await answerTo('ann', { public_key: publicKey })).toEqual(REFUSED);
    expect(await answerTo('ann', { public_key: line, protocol: 'webdav' })).toEqual(REFUSED);
    expect(await answerTo(randomUUID(), { public_key: line })).toEqual(REFUSED);
  });

  it('does not count as a use of the key', async () => {
    const owner = await signedInAs(api, 'ann');
    const before = await listedKeysOf(owner);
    expect(await factorsOf('ann', { public_key: line })).toEqual(['public-key']);
    expect(await listedKeysOf(owner)).toEqual(before);
  });
});

describe('the throttle', () => {
  it('counts failures over the file servers and the API together', async () => {
    await createAccount(admin, 'guessed', { permission: SFTP });
    const address = newAddress();
    for (let n = 0; n < 3; n++) expect(await answerTo('guessed', { password: `${n}`, address })).toEqual(REFUSED);
    for (let n = 0; n < 2; n++) expect((await api.from(address).logIn('guessed', `${n}`)).code).toBe(401);
    const throttled = await ask('guessed', { address });
    expect(throttled.status).toBe(429);
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
    expect((await api.from(address).logIn('guessed', 'pw-guessed')).code).toBe(429);
    expect(await factorsOf('guessed', { address: newAddress() })).toEqual(['password']);
  });

  it('counts wrong codes after right passwords', async () => {
    const secret = await protectedAccount('coded');
    const address = newAddress();
    const wrong = codeNow(secret, 1) === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++) expect(await answerTo('coded', { code: wrong, address })).toEqual(REFUSED);
    expect((await ask('coded', { code: codeNow(secret, 1), address })).status).toBe(429);
  });
});

describe('a request', () => {
  it.each([
    [{ protocol: 'http' }, 'protocol must be one of sftp, webdav, ftp'],
    [{ username: '' }, 'username must be a text of 1 to 4096 letters'],
    [{ password: '' }, 'password must be a text of 1 to 4096 letters'],
    [{ password: 7 }, 'password must be a text of 1 to 4096 letters'],
    [{ address: 'here' }, 'address must be an IP address'],
    [{ public_key: 'x', password: 'y' }, 'send either password or public_key'],
    [{ public_key: 'x', code: '123456' }, 'code can only be sent with password'],
    [{ totp: '123456' }, 'unknown field "totp"'],
  ])('with %j is refused with the reason', async (fields, reason) => {
    const answer = await ask('ann', fields);
    expect([answer.status, answer.outcome]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('needs the scope logins:verify, with which no keys can be looked up', async () => {
    const refused = await lookUps.post('/logins', { protocol: 'sftp', username: 'ann', password: 'pw-ann' });
    expect([refused.status, refused.outcome]).toEqual([403, expect.stringContaining('logins:verify')]);
    expect((await servers.get('/ssh-keys?username=ann')).status).toBe(403);
    expect((await servers.get('/logins')).status).toBe(405);
  });

  it('leaves no password or code in the log', async () => {
    await ask('ann', { password: 'secret-of-nobody-1', code: 'secret-of-nobody-2' });
    await eventually(() => expect(logLines(app.output()).map(({ event }) => event)).toContain('authn_login_fail'));
    expect(app.output()).not.toMatch(/secret-of-nobody|pw-ann/);
  });
});
