import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { staticHash } from '../support/static-hash.js';
import { filesOf, storedStaticToken } from '../support/stored-data.js';
import { codeNow, enrol } from '../support/two-factor.js';

const FIRST_PASSWORD_FIELD = 'password';

let app: StandaloneProcess;
/** The secrets by name. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  app = await StandaloneProcess.start({ KEYFOLD_ADMIN_PASSWORD: undefined, KEYFOLD_LOG_LEVEL: 'trace' });
  await useEverySecret(new ApiClient(app.baseUrl));
  for (const { name, bytes } of filesOf(app.dataDir)) {
    if (name === 'token-secret') secrets.set(name, bytes.toString().trim());
    if (name === 'sealing-key') secrets.set(name, bytes.toString().trim().replace(/^k1:/, ''));
  }
});

afterAll(() => app.dispose());

/** Uses the service in a way that passes every kind of secret through the process. */
async function useEverySecret(api: ApiClient): Promise<void> {
  const first = logLines(app.output()).find((line) => FIRST_PASSWORD_FIELD in line);
  rememberPassword('first password', String(first?.[FIRST_PASSWORD_FIELD]));
  const byFirst = await api.signedIn('admin', secrets.get('first password')!);
  await byFirst.post('/api/me/update', { username: 'admin', password: 'Adm1n-pass' });
  rememberPassword('changed password', 'Adm1n-pass');
  const admin = await adminOf(api);
  const member = await newMember(admin, 'secretive');
  rememberPassword('password of a member', 'pw-secretive');
  secrets.set('one-time secret', await enrol(member));
  const { secret } = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>();
  secrets.set('secret of an enrolment that was not finished', secret);
  const withCode = await api.signedIn('secretive', 'pw-secretive', codeNow(secrets.get('one-time secret')!, 1));
  secrets.set('static token', storedStaticToken(app.dataDir));
  const save = (...settings: object[]) => admin.post('/api/admin/setting/save', settings);
  secrets.set('password of a directory', 'directory-passw0rd');
  secrets.set('value of an unknown setting', 'who-knows-what-this-is');
  secrets.set('chosen static token', 'a-token-that-somebody-chose');
  await save({ key: 'ldap_manager_password', value: secrets.get('password of a directory') });
  await save({ key: 'from_elsewhere', value: secrets.get('value of an unknown setting') });
  await save({ key: 'token', value: secrets.get('chosen static token') });
  secrets.set('new static token', (await admin.post('/api/admin/setting/reset_token')).data<string>());
  await api.as(`Bearer ${secrets.get('new static token')}`).get('/api/admin/user/list');
  for (const [name, { token }] of Object.entries({ byFirst, admin, member, withCode })) {
    secrets.set(`token ${name}`, token);
    secrets.set(`signature of token ${name}`, token.split('.')[2]!);
  }
  await sendWrongSecrets(api, admin);
}

/** Refused input is secret too: a wrong password is often the correct one elsewhere. */
async function sendWrongSecrets(api: ApiClient, admin: ApiClient): Promise<void> {
  rememberPassword('wrong password', 'wr0ng-password');
  secrets.set('unknown token', 'no-token-of-this-service');
  secrets.set('refused static token', 'a token that is refused');
  await api.logIn('admin', 'wr0ng-password');
  await api.logIn('secretive', 'pw-secretive', '000000');
  await api.as('no-token-of-this-service').get('/api/me');
  await admin.post('/api/admin/setting/save', [{ key: 'token', value: 'a token that is refused' }]);
  await api.post('/api/auth/login', { username: 'admin', password: ['wr0ng-password'] });
  await api.send({ method: 'POST', path: '/api/auth/login', body: '{"password":"wr0ng-password"' });
  await createAccount(admin, 'other', { password: 'wr0ng-password' });
  await admin.post('/api/admin/user/create', { username: 'other', password: 'wr0ng-password' });
}

function rememberPassword(name: string, password: string): void {
  secrets.set(name, password);
  secrets.set(`${name}, hashed for the wire`, staticHash(password));
}

/** Returns the names of the secrets that some bytes contain. */
const foundIn = (bytes: Buffer | string) =>
  [...secrets].filter(([, secret]) => bytes.includes(secret)).map(([name]) => name);

describe('secrets', () => {
  it('are in no file but the two with the generated keys, during and after a run', async () => {
    const leaks = () =>
      filesOf(app.dataDir)
        .filter(({ name }) => name !== 'token-secret' && name !== 'sealing-key')
        .flatMap(({ name, bytes }) => foundIn(bytes).map((secret) => `${name}: ${secret}`));
    expect(secrets.size).toBeGreaterThan(20);
    expect([...secrets].filter(([, secret]) => secret.length < 10)).toEqual([]);
    expect(leaks()).toEqual([]);
    // The same search finds what is not secret.
    expect(filesOf(app.dataDir).some(({ bytes }) => bytes.includes('secretive'))).toBe(true);
    await app.stop();
    expect(leaks()).toEqual([]);
  });

  it('are nowhere in the log, except the first password in its one line', () => {
    const lines = app.output().split('\n');
    const [first, ...more] = lines.filter((line) => foundIn(line).length > 0);
    expect(more).toEqual([]);
    expect(foundIn(first!)).toEqual(['first password']);
  });
});
