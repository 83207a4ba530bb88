import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { storedCommits } from '../support/stored-data.js';

let app: StandaloneProcess;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  admin = await adminOf(new ApiClient(app.baseUrl));
});

afterAll(() => app.dispose());

const create = (username: string, headers: Record<string, string>) =>
  admin.with(headers).post('/api/admin/user/create', { username, password: 'x' });

it('a request id of the client is given back and stored with the change', async () => {
  const answer = await create('traced', { 'x-request-id': 'trace-0123.abc' });
  expect(answer.headers['x-request-id']).toBe('trace-0123.abc');
  const traced = storedCommits(app.dataDir).filter(({ correlation }) => correlation === 'trace-0123.abc');
  expect(traced.map(({ events }) => events[0]?.type)).toEqual(['AccountRegistered']);
});

it('a request without an id gets one, which is stored with the change', async () => {
  const id = (await create('untraced', {})).headers['x-request-id'];
  expect(id).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  expect(storedCommits(app.dataDir).filter(({ correlation }) => correlation === id)).toHaveLength(1);
});

it.each(['short', 'x'.repeat(65), 'with space 1', '<script>alert(1)</script>', '{"json":true}'])(
  'an id that could do harm is not taken over: %s',
  async (given) => {
    const { headers } = await admin.with({ 'x-request-id': given }).get('/api/me');
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  },
);

it('refusals and faults carry the id, too', async () => {
  for (const path of ['/api/me', '/api/nowhere', '/ping', '/api/%zz']) {
    const id = 'trace-everywhere';
    const { headers } = await new ApiClient(app.baseUrl).send({ path, headers: { 'x-request-id': id } });
    expect(headers['x-request-id'], path).toBe(id);
  }
});
