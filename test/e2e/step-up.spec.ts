import { TokenSigner } from '@keyfold/security';
import { JwtService } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendCommits } from '../abuse/append-commits.js';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const MINUTE = 60_000;
const STEP_UP = '428 the login is older than 10 minutes, send the password or a 2FA code';
const app = await sharedApp();

/** Returns a client with a session of the administrator that started some minutes ago. */
async function loggedInBefore(minutes: number): Promise<ApiClient> {
  const now = Date.now() - minutes * MINUTE;
  const signer = new TokenSigner(
    new JwtService({ secret: readFileSync(join(app.dataDir, 'token-secret'), 'utf8').trim() }),
    {
      issuer: 'keyfold',
      lifetimeHours: 48,
    },
  );
  const sessionId = randomUUID();
  const token = signer.sign({ accountId: 1, sessionId, username: 'admin', passwordTimestamp: 0, now });
  const { iat: startedAt, exp: expiresAt } = signer.read(token)!;
  const login = { generation: 1, factors: ['password'], address: '192.0.2.77', client: 'browser' };
  const data = { sessionId, accountId: 1, startedAt, expiresAt, ...login };
  await appendCommits(app, [
    {
      stream: `session-${sessionId}`,
      partition: '1',
      version: 1,
      command: { id: randomUUID(), type: 'StartSession', hash: 'hash' },
      at: now,
      actor: 'login:1',
      correlation: 'an old request',
      events: [{ type: 'SessionStarted', v: 1, data }],
    },
  ]);
  return new ApiClient(app.baseUrl).as(token);
}

const old = await loggedInBefore(11);
const recent = await loggedInBefore(9);

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
