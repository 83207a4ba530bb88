import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import { metricsWhen, readMetrics } from '../support/metrics.js';
import { CACHED } from '../support/openlist/downloads.js';
import { openListScene } from '../support/openlist/scene.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { once } from 'node:events';
import { connect } from 'node:net';

const { app, double, api, admin } = await openListScene();

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

it.each([
  '/api/admin/setting/list',
  '/api/admin/setting/get?keys=token,version',
  '/api/admin/storage/list',
  '/api/admin/meta/list',
  '/api/share/list',
  '/api/fs/get',
  '/api/later',
  '/dav/',
])('no cache may keep the answer to %s, which depends on the caller', async (path) => {
  for (const client of [admin, api]) {
    const { headers } = await client.with({ 'accept-encoding': 'identity' }).get(path);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['vary']).toMatch(/\bAuthorization\b/);
  }
});

it('a download that is signed in its address keeps what OpenList says to caches', async () => {
  double.files.write('/signed.txt', 'text');
  const { sign } = (await admin.post('/api/fs/get', { path: '/signed.txt' })).data<{ sign: string }>();
  const { text, headers } = await api.get(`/p/signed.txt?sign=${sign}`);
  expect(text).toBe('text');
  expect(headers['cache-control']).toBe(CACHED);
});

/** How long such a body may take and the answer to it may be read (milliseconds). */
const UNIDENTIFIED_TIME = 90_000;

it('the body of a sender whom nobody has identified ends within a minute or so, however it is sent', async () => {
  const sized = 'Content-Length: 65536\r\n';
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const signature = 'Authorization: AWS4-HMAC-SHA256 Credential=x\r\n';
  const heads = [
    `POST /ping HTTP/1.1\r\n${sized}`,
    `POST /api/public/settings HTTP/1.1\r\n${sized}`,
    `POST /api/fs/list HTTP/1.1\r\n${sized}`,
    `PUT /api/fs/list HTTP/1.1\r\n${chunked}`,
    `PUT /s3/bucket/a HTTP/1.1\r\n${signature}${sized}`,
    `OPTIONS /dav/ HTTP/1.1\r\n${sized}`,
    `POST /api/auth/login HTTP/1.1\r\n${sized}`,
  ];
  const ended = heads.map(async (head) => {
    const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
    const piece = head.includes(chunked) ? '1\r\na\r\n' : 'a';
    socket.write(`${head}Host: t\r\n\r\n`);
    const dripping = setInterval(() => socket.write(piece), 5_000);
    const signal = AbortSignal.timeout(UNIDENTIFIED_TIME);
    // A piece that arrives after the end is answered with a reset.
    const closed = once(socket.resume(), 'close', { signal }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
    });
    await closed.finally(() => clearInterval(dripping));
    return head;
  });
  expect(await Promise.all(ended)).toEqual(heads);
});
