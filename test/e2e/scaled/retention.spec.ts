import { openSharedStore } from '@keyfold/operator';
import { afterEach, expect, it, vi } from 'vitest';
import { adminOf } from '../../support/accounts.js';
import { keyfold } from '../../support/cli.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { appendOldSessions, compactedIn, tokenOf } from '../../support/old-sessions.js';
import { StoreInspection } from '../../support/scaled-check.js';
import { SCALED_SETTINGS } from '../../support/scaled-process.js';
import { ScaledService } from '../../support/scaled-service.js';

const PATIENCE = { timeout: 60_000, interval: 100 };
/** Several for each of the 64 slots. */
const SESSIONS = 500;

let service: ScaledService;
afterEach(() => service?.dispose());

const run = (...args: string[]) => keyfold({ KEYFOLD_MONGODB_URI: service.uri }, ...args);

/** A gateway and two workers, none of which runs, on a database that has sessions of long ago and nothing else. */
async function withOldSessions(count: number): Promise<string[]> {
  const uri = freshDatabaseUri();
  service = await ScaledService.create(uri, { gateways: 1, workers: 2, env: { KEYFOLD_LEASE_SECONDS: '2' } });
  const { ports, close } = await openSharedStore(uri, { prepare: true, leaseMilliseconds: 10_000, sessionDays: 90 });
  const ids = await appendOldSessions(ports.store, count);
  await close();
  return ids.map((id) => tokenOf(id, SCALED_SETTINGS.KEYFOLD_TOKEN_SECRET));
}

async function expectSound(): Promise<void> {
  const { status, out } = await run('verify');
  expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining(': no problem\n') });
}

it('workers compact sessions of long ago beside the gateway, which refuses their tokens as before', async () => {
  const [expired = ''] = await withOldSessions(SESSIONS);
  await service.startAll({ KEYFOLD_SESSION_DAYS: '36500' });
  const admin = await adminOf(service.api());
  const before = await service.api().as(expired).get('/api/me');
  expect(before.text).toBe('{"code":401,"message":"token is expired","data":null}');

  await Promise.all(service.workers.map((worker) => worker.restart({ KEYFOLD_SESSION_DAYS: '0.001' })));
  await vi.waitFor(() => expect(compactedIn(service.output())).toBe(SESSIONS), PATIENCE);
  expect((await run('events', 'show', `session-old-${SESSIONS - 1}`)).err).toContain('was compacted');
  await expectSound();
  await service.gateway(0).restart();
  expect(await service.api().as(expired).get('/api/me')).toMatchObject({ status: before.status, text: before.text });
  expect((await admin.get('/api/me')).outcome).toBe('200 success');
  expect((await run('projections', 'rebuild')).out).toMatch(/, 0 removed\n$/);
  expect(await service.stop()).toEqual([0, 0, 0]);
  const inspection = await StoreInspection.open(service.uri);
  const { problems, documents } = await inspection.verify();
  await inspection.close();
  // Admin, guest and settings, and the session of the admin.
  expect({ problems, documents }).toEqual({ problems: [], documents: 4 });
});
