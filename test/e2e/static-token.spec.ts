import { expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken } from '../support/stored-data.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const token = storedStaticToken(app.dataDir);

it('has the format of the original', () => {
  expect(token).toMatch(/^openlist-[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}[A-Za-z0-9]{64}$/);
});

it('authenticates the administrator, with and without Bearer', async () => {
  for (const header of [token, `Bearer ${token}`]) {
    const admin = api.as(header);
    expect((await admin.get('/api/me')).data()).toMatchObject({ id: 1, username: 'admin', role: 2 });
    expect((await admin.get('/api/admin/user/list')).code).toBe(200);
  }
});

it('survives a logout, a restart and a change of the password', async () => {
  expect((await api.as(token).get('/api/auth/logout')).code).toBe(200);
  await api.as(token).post('/api/me/update', { username: 'boss', password: 'n3w-pass' });
  await app.restart();
  expect((await api.as(token).get('/api/me')).data()).toMatchObject({ username: 'boss' });
});

it('is rejected when cut, extended or in another case', async () => {
  const others = [
    token.slice(0, -1),
    `${token}x`,
    token.toUpperCase(),
    `openlist-`,
    `Basic ${token}`,
    `bearer${token}`,
  ];
  for (const other of others) {
    expect((await api.as(other).get('/api/admin/user/list')).outcome, other).toBe('401 token is invalidated');
  }
});

it('an empty or missing header is the guest, never the administrator', async () => {
  for (const header of ['', ' ', '\t']) {
    expect((await api.as(header).get('/api/me')).outcome).toBe('401 Guest user is disabled, login please');
  }
  expect((await api.get('/api/admin/user/list')).outcome).toBe('401 Guest user is disabled, login please');
  for (const header of ['Bearer', 'Bearer ', 'Bearer  ', 'null', 'undefined']) {
    expect((await api.as(header).get('/api/admin/user/list')).outcome).toBe('401 token is invalidated');
  }
});
