import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, accountNamed, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines, type LogLine } from '../support/log-lines.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { storedStaticToken } from '../support/stored-data.js';

const ATTEMPTS = 300;
const TYPED_AS_NAME = 'correct-horse-battery-staple';
const WRONG_PASSWORD = 'wrong-passw0rd-of-nobody';

let app: StandaloneProcess;
let accountId: number;
let staticToken: string;
let events: LogLine[];

/** Runs the service once: its clients cause every security event, then it stops. */
beforeAll(async () => {
  app = await StandaloneProcess.start();
  const api = new ApiClient(app.baseUrl);
  const admin = await api.from('192.0.2.5').signedIn('admin', ADMIN_PASSWORD);
  staticToken = storedStaticToken(app.dataDir);
  ({ id: accountId } = await createAccount(admin, 'watched'));
  const guesser = api.from('198.51.100.7');
  for (let n = 0; n < ATTEMPTS; n++) await guesser.logIn('watched', WRONG_PASSWORD);
  await api.from('203.0.113.9').logIn(TYPED_AS_NAME, WRONG_PASSWORD);
  await api.from('203.0.113.9').as(staticToken).get('/api/me');
  await api.from('203.0.113.9').as('openlist-g0essed-token').get('/api/me');
  await api.from('2001:db8:7::1').as('eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.').get('/api/me');
  const watched = { id: accountId, username: 'watched', password: '', base_path: '/', role: 0, permission: 3 };
  (await admin.post('/api/admin/user/update', watched)).data();
  expect(await accountNamed(admin, 'watched')).toMatchObject({ permission: 3 });
  expect(await app.stop()).toBe(0);
  events = logLines(app.output()).filter(({ event }) => event !== undefined);
});

afterAll(() => app.dispose());

const of = (name: string) => events.filter(({ event }) => String(event).split(':')[0] === name);

describe('the log', () => {
  it('counts refused and throttled logins exactly in few lines', () => {
    const logins = [...of('authn_login_fail'), ...of('authn_login_fail_max')].filter(
      ({ network }) => network === '198.51.100.0/24',
    );
    const omitted = logins.reduce((sum, line) => sum + Number(line['omitted'] ?? 0), 0);
    const written = logins.filter((line) => line['omitted'] === undefined);
    expect(written.length + omitted).toBe(ATTEMPTS);
    expect(logins.length).toBeLessThan(60);
    expect(omitted).toBeGreaterThan(ATTEMPTS / 2);
  });

  it('has the account, network, outcome and correlation of a refused login', () => {
    expect(of('authn_login_fail')[0]).toMatchObject({
      level: 40,
      context: 'Security',
      msg: 'login refused',
      event: `authn_login_fail:${accountId}`,
      account: accountId,
      factor: 'password',
      outcome: 'refused',
      network: '198.51.100.0/24',
      correlation: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
    });
  });

  it('reports uses of the static token and of forged ones', () => {
    expect([...of('authn_token_use'), ...of('authn_token_fail'), ...of('authn_token_forged')]).toMatchObject([
      { event: 'authn_token_use:1,static', account: 1, outcome: 'accepted', network: '203.0.113.0/24' },
      { event: 'authn_token_fail:static', outcome: 'refused', network: '203.0.113.0/24' },
      { event: 'authn_token_forged:wrong_algorithm', outcome: 'refused', network: '2001:db8:7::/48' },
    ]);
  });

  it('reports who created the first accounts and the static token, and who changed permissions', () => {
    expect(of('user_created').map(({ event }) => event)).toEqual([
      'user_created:first-start,1,admin',
      'user_created:first-start,2,guest',
      `user_created:1,${accountId},general`,
    ]);
    expect(of('authn_token_created')).toMatchObject([{ event: 'authn_token_created:first-start,static' }]);
    expect(of('privilege_permissions_changed')).toMatchObject([
      { event: `privilege_permissions_changed:1,${accountId},3`, network: '192.0.2.0/24' },
    ]);
  });

  it('has no typed name or password, no token and no complete address', () => {
    const secrets = [TYPED_AS_NAME, WRONG_PASSWORD, staticToken, 'g0essed', 'watched', '198.51.100.7', '203.0.113.9'];
    const text = JSON.stringify(events);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(secrets.slice(0, 4).filter((secret) => app.output().includes(secret))).toEqual([]);
  });
});
