import { expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken, storedCommits, type StoredCommit } from '../support/stored-data.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

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
