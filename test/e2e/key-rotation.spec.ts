import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { StartFailure } from '../support/standalone-process.js';

const OLD = `old:${randomBytes(32).toString('base64')}`;
const NEW = `new:${randomBytes(32).toString('base64')}`;

const app = await sharedApp({ KEYFOLD_SEALING_KEY: OLD });
const api = new ApiClient(app.baseUrl);

const logIn = async (name: string, password = `pw-${name}`) => (await api.logIn(name, password)).outcome;

describe('a sealing key', () => {
  it('is replaced in two restarts, and passwords from every step keep working', async () => {
    await createAccount(await adminOf(api), 'before');
    await app.restart({ KEYFOLD_SEALING_KEY: `${OLD},${NEW}` });
    await createAccount(await adminOf(api), 'between');
    await app.restart({ KEYFOLD_SEALING_KEY: `${NEW},${OLD}` });
    await createAccount(await adminOf(api), 'after');
    for (const name of ['before', 'between', 'after']) expect(await logIn(name), name).toBe('200 success');
  });

  it('that sealed stored secrets must not be removed: the start is refused', async () => {
    await app.stop();
    app.spawn({ KEYFOLD_SEALING_KEY: NEW });
    await expect(app.untilReady()).rejects.toThrow(StartFailure);
    expect(app.output()).toMatch(/sealing key/i);
    app.spawn({ KEYFOLD_SEALING_KEY: `${NEW},${OLD}` });
    await app.untilReady();
  });
});

it('a replaced token secret ends no session while the old one is listed after it', async () => {
  const [old, fresh] = [randomBytes(48).toString('base64'), randomBytes(48).toString('base64')];
  await app.restart({ KEYFOLD_TOKEN_SECRET: old });
  const before = await adminOf(api);
  await app.restart({ KEYFOLD_TOKEN_SECRET: `${old},${fresh}` });
  const between = await adminOf(api);
  await app.restart({ KEYFOLD_TOKEN_SECRET: `${fresh},${old}` });
  const after = await adminOf(api);
  const codes = async () =>
    Promise.all([before, between, after].map(async (admin) => (await admin.get('/api/me')).code));
  expect(await codes()).toEqual([200, 200, 200]);
  await app.restart({ KEYFOLD_TOKEN_SECRET: fresh });
  expect(await codes()).toEqual([401, 401, 200]);
});

it('an unrelated token secret ends every session, and passwords keep working', async () => {
  const admin = await adminOf(api);
  expect((await admin.get('/api/me')).code).toBe(200);
  await app.restart({ KEYFOLD_TOKEN_SECRET: randomBytes(32).toString('base64') });
  expect((await admin.get('/api/me')).code).toBe(401);
  expect(await logIn('admin', ADMIN_PASSWORD)).toBe('200 success');
});
