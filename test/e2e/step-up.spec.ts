import { expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import type { ApiClient } from '../support/api-client.js';
import { loggedInBefore } from '../support/past-login.js';
import { sharedApp } from '../support/shared-app.js';

const STEP_UP = '428 the login is older than 10 minutes, send the password or a 2FA code';
const app = await sharedApp();
const old = await loggedInBefore(app, 11);
const recent = await loggedInBefore(app, 9);

it.each([
  ['/api/me/tokens', { scopes: ['profile:read'] }],
  ['/api/me/app_passwords', { protocol: 'webdav' }],
])('POST %s takes the password once the login is older than ten minutes', async (path, fields) => {
  const create = async (client: ApiClient, name: string, proof: object = {}) =>
    (await client.post(path, { name, ...fields, ...proof })).outcome;
  expect(await create(recent, 'first')).toBe('200 success');
  expect(await create(old, 'second')).toBe(STEP_UP);
  expect(await create(old, 'second', { password: null, otp_code: '' })).toBe(STEP_UP);
  expect(await create(old, 'second', { password: 'wrong' })).toBe('400 the password is wrong');
  expect(await create(old, 'second', { otp_code: '123456' })).toBe('400 two-factor login is off');
  expect(await create(old, 'second', { password: 1 })).toBe('400 password must be a string');
  expect(await create(old, 'second', { password: ADMIN_PASSWORD })).toBe('200 success');
  expect((await old.get(path)).data()).toHaveLength(2);
});
