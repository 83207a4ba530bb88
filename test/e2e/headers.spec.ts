import { describe, expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { type Answer, ApiClient, type Call } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken, type StoredCommit, storedCommits } from '../support/stored-data.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

describe('answers of the API', () => {
  it.each<Call & { expected: number }>([
    { expected: 200, path: '/api/me' },
    { expected: 200, path: '/api/admin/user/list?page=1' },
    { expected: 200, path: '/api/me', headers: { authorization: 'nonsense' } },
    { expected: 200, path: '/api/me/sshkey/delete?id=no', method: 'POST' },
    { expected: 200, path: '/api/public/archive_extensions' },
    { expected: 404, path: '/api/nowhere' },
    { expected: 405, path: '/api/me', method: 'DELETE' },
    { expected: 400, path: '/api/%zz' },
    { expected: 413, path: '/api/auth/login', method: 'POST', body: Buffer.alloc(2_000_000, ' ') },
  ])('are never cached: $path, HTTP $expected', async ({ expected, ...call }) => {
    const answer = await admin.send(call);
    expect(answer.status).toBe(expected);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
  });
});

describe('public settings', () => {
  const settings = '/api/public/settings';
  const tag = async () => String((await api.get(settings)).headers['etag']);
  const answerTo = (condition: string) => api.send({ path: settings, headers: { 'if-none-match': condition } });

  it('are cached publicly and revalidated each time', async () => {
    const { headers } = await admin.get(settings);
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['etag']).toMatch(/^"[\w-]{20,}"$/);
    expect(headers['vary']).toBe('Origin');
  });

  it('have the same ETag for everybody', async () => {
    expect((await admin.get(settings)).headers['etag']).toBe(await tag());
  });

  it.each([
    ['the tag', (etag: string) => etag],
    ['the ETag as a weak one', (etag: string) => `W/${etag}`],
    ['a list with the ETag', (etag: string) => `"other", ${etag} , W/"third"`],
    ['a star', () => '*'],
  ])('are not resent to a client with %s', async (_, conditionOf) => {
    const etag = await tag();
    const answer = await answerTo(conditionOf(etag));
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers).toMatchObject({ etag, 'cache-control': 'no-cache' });
  });

  it('are sent in full to other methods', async () => {
    for (const condition of ['*', await tag()]) {
      const answer = await api.send({ method: 'POST', path: settings, headers: { 'if-none-match': condition } });
      expect([answer.status, answer.code]).toEqual([200, 200]);
    }
  });

  it.each(['"other"', 'W/"other"', '', 'nonsense'])('are sent in full to a client with %s', async (condition) => {
    expect((await answerTo(condition)).data()).toMatchObject({ site_title: expect.any(String) });
  });
});

const send = (call: Call) => api.send(call);
const accessHeaders = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('access-control'));

const origin = 'https://files.example';

describe('a page of another origin', () => {
  it('may send the token and JSON to every path', async () => {
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    for (const path of ['/api/me/update', '/api/nowhere', '/ping']) {
      const answer = await send({ method: 'OPTIONS', path, headers: { origin, ...asks } });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase().split(', ');
      // The wildcard does not cover this header in browsers.
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', '*']));
      expect(answer.headers['access-control-allow-methods']).toContain('POST');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('reads answers, refusals and faults, with their headers', async () => {
    for (const path of ['/api/me', '/api/public/settings', '/api/nowhere', '/ping', '/api/%zz']) {
      const { headers } = await send({ path, headers: { origin } });
      expect(headers['access-control-allow-origin'], path).toBe('*');
      expect(headers['access-control-expose-headers'], path).toContain('Retry-After');
    }
  });
});

describe('a page of the same origin', () => {
  it('gets no CORS headers', async () => {
    const sameOrigin = { origin: app.baseUrl };
    expect(accessHeaders(await send({ path: '/api/me', headers: sameOrigin }))).toEqual([]);
    expect(accessHeaders(await send({ path: '/api/me' }))).toEqual([]);
    expect(accessHeaders(await send({ method: 'OPTIONS', path: '/api/me', headers: sameOrigin }))).toEqual([]);
  });
});

const create = (username: string, headers: Record<string, string>) =>
  admin.with(headers).post('/api/admin/user/create', { username, password: 'x' });

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;
const commitsOf = (wanted: (commit: StoredCommit) => boolean) => storedCommits(app.dataDir).filter(wanted);

it("the request id of a client is returned and stored beside the server's own id", async () => {
  const { headers } = await create('traced', { 'x-request-id': 'trace-0123.abc' });
  expect(headers['x-request-id']).toBe('trace-0123.abc');
  expect(headers['x-correlation-id']).toMatch(UUID);
  const traced = commitsOf(({ clientCorrelation }) => clientCorrelation === 'trace-0123.abc');
  expect(traced.map(({ events }) => events[0]?.type)).toEqual(['AccountRegistered']);
  expect(traced[0]?.correlation).toBe(headers['x-correlation-id']);
});

it.each(['first-start', 'the id of another request'])('a client cannot set %s as the correlation', async (whose) => {
  const other = (await create(`victim of ${whose}`, {})).headers['x-request-id'];
  const stolen = whose === 'first-start' ? whose : String(other);
  const before = commitsOf(({ correlation }) => correlation === stolen).length;
  expect(before).toBeGreaterThan(0);
  const { headers } = await create(`thief of ${whose}`, { 'x-request-id': stolen });
  expect(headers['x-correlation-id']).not.toBe(stolen);
  expect(commitsOf(({ correlation }) => correlation === stolen)).toHaveLength(before);
  expect(commitsOf(({ clientCorrelation }) => clientCorrelation === stolen)).toHaveLength(1);
});

it('a request without an id gets one, which is stored with the change', async () => {
  const { headers } = await create('untraced', {});
  const id = headers['x-request-id'];
  expect(id).toMatch(UUID);
  expect(headers).not.toHaveProperty('x-correlation-id');
  const [stored, ...more] = commitsOf(({ correlation }) => correlation === id);
  expect(more).toEqual([]);
  expect(stored).not.toHaveProperty('clientCorrelation');
});

it('a change records the session that made it; the static token has none', async () => {
  await create('by a session', {});
  const byToken = new ApiClient(app.baseUrl).as(storedStaticToken(app.dataDir));
  (await byToken.post('/api/admin/user/create', { username: 'by the token', password: 'x' })).data();
  const { stream } = commitsOf(({ events }) => events[0]?.type === 'SessionStarted').at(-1)!;
  const sessionOf = (username: string) =>
    commitsOf(({ events }) => events[0]?.data['username'] === username).map(({ session }) => session);
  expect(sessionOf('by a session')).toEqual([stream.replace('session-', '')]);
  expect(sessionOf('by the token')).toEqual([undefined]);
});

it.each(['short', 'x'.repeat(65), 'with space 1', '<script>alert(1)</script>', '{"json":true}'])(
  'an unsafe id is ignored: %s',
  async (given) => {
    const { headers } = await admin.with({ 'x-request-id': given }).get('/api/me');
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  },
);

it('refusals and faults also carry the id', async () => {
  for (const path of ['/api/me', '/api/nowhere', '/ping', '/api/%zz']) {
    const id = 'trace-everywhere';
    const { headers } = await new ApiClient(app.baseUrl).send({ path, headers: { 'x-request-id': id } });
    expect(headers['x-request-id'], path).toBe(id);
  }
});

const HSTS = 'strict-transport-security';

it('answers forbid content sniffing and do not ask for HTTPS by default', async () => {
  for (const path of ['/ping', '/api/me', '/api/public/settings', '/docs', '/nowhere', '/%ff']) {
    const { headers } = await api.get(path);
    expect(headers['x-content-type-options'], path).toBe('nosniff');
    expect(headers[HSTS], path).toBeUndefined();
  }
});

it('pages load nothing from other origins, allow no framing by them, and do not upgrade to HTTPS', async () => {
  for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/doc%73', '/%64ocs/swagger-ui-bundle.js']) {
    const { headers } = await api.get(path);
    expect(headers['content-security-policy'], path).toContain("default-src 'self'");
    expect(headers['content-security-policy'], path).not.toContain('upgrade-insecure-requests');
    expect(headers['x-frame-options'], path).toBe('SAMEORIGIN');
  }
  expect((await api.get('/docs/events')).headers).toMatchObject({
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-frame-options': 'SAMEORIGIN',
  });
});

it('HSTS lasts as long as the setting says', async () => {
  await app.restart({ KEYFOLD_HSTS_SECONDS: '31536000' });
  expect((await api.get('/ping')).headers[HSTS]).toBe('max-age=31536000');
});
