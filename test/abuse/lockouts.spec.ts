import { describe, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { SFTP, servedLogins, WEBDAV } from '../support/openssh/file-servers.js';
import { codeNow, enrol } from '../support/two-factor.js';
import { times } from './repeated.js';

/** More than the wrong passwords or codes that one source may send for an account. */
const MANY = 8;

const { api, admin, servers } = await servedLogins();

describe('a program that keeps sending a right password', () => {
  const ask = (username: string, address: string, fields: object) =>
    servers.post('/logins', { protocol: 'webdav', username, password: `pw-${username}`, address, ...fields });

  it.each([
    ['webdav', { permission: SFTP }],
    ['sftp', { permission: WEBDAV }],
    ['ftp', { permission: WEBDAV }],
    ['webdav', { disabled: true }],
  ])('over %s to an account with %j does not lock its owner out', async (protocol, change) => {
    const name = `refused-${protocol}-${Object.keys(change).join()}`;
    const address = newAddress();
    await createAccount(admin, name, { permission: WEBDAV });
    await updateAccount(admin, name, change);
    for (const _ of times(MANY)) expect((await ask(name, address, { protocol })).status).toBe(200);
    await updateAccount(admin, name, { disabled: false });
    expect((await api.from(address).logIn(name, `pw-${name}`)).code).toBe(200);
  });

  it('to the API while the account is disabled does not lock its owner out', async () => {
    const client = api.from(newAddress());
    await createAccount(admin, 'paused');
    await updateAccount(admin, 'paused', { disabled: true });
    for (const _ of times(MANY)) expect((await client.logIn('paused', 'pw-paused')).code).toBe(401);
    await updateAccount(admin, 'paused', { disabled: false });
    expect((await client.logIn('paused', 'pw-paused')).code).toBe(200);
  });

  it('without a code, or with a code that was used, does not throttle the codes', async () => {
    const address = newAddress();
    await createAccount(admin, 'coded', { permission: WEBDAV });
    const secret = await enrol(await signedInAs(api, 'coded'));
    for (const _ of times(MANY)) expect((await ask('coded', address, {})).status).toBe(200);
    const repeated = { password: `pw-coded${codeNow(secret, 1)}` };
    for (const _ of times(MANY)) expect((await ask('coded', address, repeated)).status).toBe(200);
    // A throttled code would be refused with 429 unchecked.
    expect((await api.from(address).logIn('coded', 'pw-coded', 'wrong')).code).toBe(402);
  });
});

describe('a stranger behind a proxy that names ports', () => {
  it.each([
    ['X-Forwarded-For', (address: string, port: number) => ({ 'x-forwarded-for': `${address}:${port}` })],
    ['Forwarded', (address: string, port: number) => ({ forwarded: `for="${address}:${port}";proto=https` })],
  ])('in %s locks nobody else out', async (header, headersFor) => {
    const name = `behind-${header}`;
    await createAccount(admin, name);
    const [stranger, owner] = [newAddress(), newAddress()];
    const guess = (n: number) => api.with(headersFor(stranger, 50_000 + n)).logIn(name, 'wrong');
    for (const n of times(MANY - 1)) await guess(n);
    expect((await guess(MANY)).code).toBe(429);
    expect((await api.with(headersFor(owner, 4_000)).logIn(name, `pw-${name}`)).code).toBe(200);
  });
});
