import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient, type Call } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';

let app: StandaloneProcess;
let api: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  api = new ApiClient(app.baseUrl);
  admin = await adminOf(api);
});

afterAll(() => app.dispose());

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

  it('are kept by everybody and asked for again each time', async () => {
    const { headers } = await admin.get(settings);
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['etag']).toMatch(/^"[\w-]{20,}"$/);
    expect(headers['vary']).toBe('Origin');
  });

  it('have the same tag for everybody', async () => {
    expect((await admin.get(settings)).headers['etag']).toBe(await tag());
  });

  it.each([
    ['the tag', (etag: string) => etag],
    ['the tag as a weak one', (etag: string) => `W/${etag}`],
    ['a list with the tag', (etag: string) => `"other", ${etag} , W/"third"`],
    ['a star', () => '*'],
  ])('are not sent again to who has %s', async (_, conditionOf) => {
    const etag = await tag();
    const answer = await answerTo(conditionOf(etag));
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers).toMatchObject({ etag, 'cache-control': 'no-cache' });
  });

  it('are sent to whoever asks with another method', async () => {
    for (const condition of ['*', await tag()]) {
      const answer = await api.send({ method: 'POST', path: settings, headers: { 'if-none-match': condition } });
      expect([answer.status, answer.code]).toEqual([200, 200]);
    }
  });

  it.each(['"other"', 'W/"other"', '', 'nonsense'])('are sent to who has %s', async (condition) => {
    expect((await answerTo(condition)).data()).toMatchObject({ site_title: expect.any(String) });
  });
});
