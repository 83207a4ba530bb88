import { TokenSigner } from '@keyfold/security';
import { JwtService } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendCommits } from '../abuse/append-commits.js';
import { ApiClient } from './api-client.js';
import type { StandaloneProcess } from './standalone-process.js';

const MINUTE = 60_000;

/** Returns a client with a session of the administrator that started some minutes ago. */
export async function loggedInBefore(app: StandaloneProcess, minutes: number): Promise<ApiClient> {
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
