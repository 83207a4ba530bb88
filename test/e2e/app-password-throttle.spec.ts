import { describe, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { SFTP, servedLogins, WEBDAV } from '../support/openssh/file-servers.js';

const { api, admin, servers } = await servedLogins({ KEYFOLD_THREADS: '2' });

async function newOwner(username: string): Promise<ApiClient> {
  await createAccount(admin, username, { permission: WEBDAV | SFTP });
  return signedInAs(api, username);
}

/** Logs in over WebDAV. Returns the status, or the factors if the login is accepted. */
async function logIn(username: string, password: string, address: string, protocol = 'webdav'): Promise<string> {
  const answer = await servers.post('/logins', { protocol, username, password, address });
  if (answer.status !== 200) return String(answer.status);
  return answer.data<{ factors: string[] }>().factors.join() || 'refused';
}

/** Logs in `count` times, and returns how often each outcome occurred. */
async function outcomes(count: number, ...login: Parameters<typeof logIn>): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (let n = 0; n < count; n++) {
    const outcome = await logIn(...login);
    found[outcome] = (found[outcome] ?? 0) + 1;
  }
  return found;
}

describe('a right app password', () => {
  it('opens every login from a network in which 15 wrong guesses blocked the account', async () => {
    const { password } = await newAppPassword(await newOwner('besieged'));
    for (let n = 0; n < 15; n++) expect(await logIn('besieged', `guess ${n}`, `203.0.113.${n + 1}`)).toBe('refused');
    expect(await logIn('besieged', 'pw-besieged', '203.0.113.99')).toBe('429');
    expect(await outcomes(20, 'besieged', password, '203.0.113.100')).toEqual({ 'app-password': 20 });
    expect(await outcomes(20, 'besieged', password, '203.0.113.1')).toEqual({ 'app-password': 20 });
  });

  it('opens 100 logins of a client at the same time', async () => {
    const { password } = await newAppPassword(await newOwner('parallel'));
    const login = () => logIn('parallel', password, '203.0.112.1');
    expect(await Promise.all(Array.from({ length: 100 }, login))).toEqual(Array(100).fill('app-password'));
  });
});

describe('the app password of a phone, sent 200 times from the address of the laptop,', () => {
  const NAT = '198.51.100.9';

  it.each([
    ['was revoked', 'revoked', {}, 'webdav'],
    ['is for another protocol', 'otherwise', { protocol: 'webdav' }, 'sftp'],
  ])('because it %s, keeps out neither the passwords of the laptop nor its owner at the API', async (...each) => {
    const [, username, fields, protocol] = each;
    const owner = await newOwner(username);
    const phone = await newAppPassword(owner, fields);
    const laptop = await newAppPassword(owner);
    if (username === 'revoked') (await owner.post('/api/me/app_passwords/revoke', { id: phone.id })).data();
    expect(await outcomes(200, username, phone.password, NAT, protocol)).toEqual({ refused: 200 });
    expect(await outcomes(20, username, laptop.password, NAT)).toEqual({ 'app-password': 20 });
    expect(await outcomes(20, username, `pw-${username}`, NAT)).toEqual({ password: 20 });
    expect((await api.from(NAT).logIn(username, `pw-${username}`)).code).toBe(200);
  });

  it('while the account was disabled, keeps out nothing once it is enabled', async () => {
    const owner = await newOwner('paused');
    const { password } = await newAppPassword(owner);
    await updateAccount(admin, 'paused', { disabled: true });
    expect(await outcomes(200, 'paused', password, NAT)).toEqual({ refused: 200 });
    await updateAccount(admin, 'paused', { disabled: false });
    expect(await logIn('paused', password, NAT)).toBe('app-password');
    expect(await logIn('paused', 'pw-paused', NAT)).toBe('password');
    expect((await api.from(NAT).logIn('paused', 'pw-paused')).code).toBe(200);
  });
});
