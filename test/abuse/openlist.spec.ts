import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import { metricsWhen, readMetrics } from '../support/metrics.js';
import { openListScene } from '../support/openlist/scene.js';
import { exchangeBytes } from '../support/raw-connection.js';

const { app, double, admin } = await openListScene();

describe('a request that asks for another protocol', () => {
  let account: number;
  let user: number;
  beforeAll(async () => {
    // From here on, ids of accounts and users differ.
    double.users.addForeign('only there');
    account = (await createAccount(admin, 'ann')).id;
    (await admin.post('/api/admin/meta/create', { path: '/a', read_users: [account] })).data();
    user = double.users.named('ann')!.id;
  });

  const upgrade = (path: string, protocol: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: t\r\nAuthorization: ${admin.token}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`;

  it.each(['websocket', 'x', 'h2c', 'TLS/1.0', 'websocket, x'])(
    'gets the answer of an ordinary one, with what is replaced there: %s',
    async (protocol) => {
      const settings = await exchangeBytes(app.baseUrl, upgrade('/api/admin/setting/list', protocol));
      expect(settings).toMatch(/^HTTP\/1\.1 200 OK/);
      expect(settings).toContain('"key":"token"');
      expect(settings).not.toContain(double.staticToken);
      const metas = await exchangeBytes(app.baseUrl, upgrade('/api/admin/meta/list', protocol));
      expect(user).not.toBe(account);
      expect(metas).toContain(`"read_users":[${account}]`);
      expect(double.requests.forwarded.at(-1)!.headers).not.toHaveProperty('upgrade');
    },
  );

  it('waits for the answers before it, is counted, and nothing after it is answered', async () => {
    const counted = (all: ReadonlyMap<string, number>) =>
      [...all].reduce(
        (sum, [name, value]) => sum + (name.startsWith('keyfold_openlist_requests_total') ? value : 0),
        0,
      );
    const before = counted(await readMetrics(app.managementUrl));
    const first = 'GET /big/300000 HTTP/1.1\r\nHost: t\r\n\r\n';
    const answers = await exchangeBytes(
      app.baseUrl,
      `${first}${upgrade('/ping', 'echo')}${upgrade('/big/10', 'echo', 'X-Late: 1\r\n')}`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(answers).toMatch(/pong$/);
    expect(answers.match(/^connection: .*/gim)!.at(-1)).toMatch(/close/);
    await metricsWhen(app.managementUrl, (series) => counted(series) === before + 2);
  });
});
