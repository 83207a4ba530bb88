import { SqliteEventStore, SqliteFile, eventStoreSchema } from '@keyfold/event-store/sqlite';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { appendOldSessions, compactedIn, tokenOf } from '../support/old-sessions.js';
import { StandaloneProcess } from '../support/standalone-process.js';

/** Short enough for the service to check for old sessions every second. */
const BUSY = { KEYFOLD_SESSION_DAYS: '0.001' };
const POLL = { timeout: 30_000, interval: 100 };
const NO_PROBLEM = /^\d+ commits of \d+ streams and \d+ documents: no problems\n$/;

let service: StandaloneProcess;
afterEach(() => service?.dispose());

const run = (...args: string[]) => keyfold({ KEYFOLD_DATA_DIR: service.dataDir }, ...args);
const api = () => new ApiClient(service.baseUrl);

/** Prepares a stopped service with this many old sessions and nothing else. Returns their tokens. */
async function withOldSessions(count: number): Promise<string[]> {
  service = await StandaloneProcess.start();
  await service.stop();
  for (const name of ['keyfold.db', 'views.db']) rmSync(join(service.dataDir, name));
  const file = new SqliteFile(join(service.dataDir, 'keyfold.db'), eventStoreSchema);
  const store = new SqliteEventStore(file);
  const ids = await appendOldSessions(store, count);
  await store.close();
  const secret = readFileSync(join(service.dataDir, 'token-secret'), 'utf8').trim();
  return ids.map((id) => tokenOf(id, secret));
}

async function expectNoProblems(): Promise<void> {
  expect(await run('verify')).toMatchObject({ status: 0, out: expect.stringMatching(NO_PROBLEM) });
}

describe('old sessions', () => {
  it('are compacted by the running service, and their tokens are refused as before', async () => {
    const [expired = '', loggedOut = ''] = await withOldSessions(300);
    await service.restart({ KEYFOLD_SESSION_DAYS: '36500' });
    const answers = async () =>
      Promise.all([expired, loggedOut].map(async (token) => (await api().as(token).get('/api/me')).text));
    const before = await answers();
    expect(before).toEqual([
      '{"code":401,"message":"token is expired","data":null}',
      '{"code":401,"message":"token is invalidated","data":null}',
    ]);
    expect(await run('events', 'show', 'session-old-1')).toMatchObject({
      status: 0,
      out: expect.stringContaining('192.0.2.77'),
    });

    await service.restart(BUSY);
    await vi.waitFor(() => expect(compactedIn(service.output())).toBe(300), POLL);
    expect(await answers()).toEqual(before);
    await expectNoProblems();
    const { status, out, err } = await run('events', 'show', 'session-old-1');
    expect({ status, err }).toEqual({
      status: 0,
      err: 'session-old-1 was compacted: its events were removed because of their age\n',
    });
    expect(out).not.toMatch(/192\.0\.2\.77|an old/);
    expect(await run('feed', 'replay', '--dry-run', '--type', 'session.started')).toMatchObject({
      status: 0,
      err: expect.stringContaining('skipped 450 commits of old sessions'),
    });

    const admin = await adminOf(api());
    expect(await run('projections', 'rebuild')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/, removed 0\n$/),
    });
    await expectNoProblems();
    expect((await admin.get('/api/me')).outcome).toBe('200 success');
  });

  it.each([
    ['beside the service, whose setting counts', '36500'],
    ['while no process runs', '90'],
  ])('are compacted by the command %s', async (where, days) => {
    const run = (...args: string[]) =>
      keyfold({ KEYFOLD_DATA_DIR: service.dataDir, KEYFOLD_SESSION_DAYS: days }, ...args);
    await withOldSessions(20);
    await service.restart({ KEYFOLD_SESSION_DAYS: '90' });
    const admin = await adminOf(api());
    if (where === 'while no process runs') await service.stop();
    expect(await run('compact', '--dry-run')).toEqual({
      status: 0,
      out: 'would compact 20 sessions whose tokens expired more than 90 days ago\n',
      err: '',
    });
    expect(await run('compact')).toEqual({
      status: 0,
      out: 'compacted 20 sessions (30 commits) whose tokens expired more than 90 days ago\n',
      err: '',
    });
    expect((await run('compact')).out).toMatch(/^compacted 0 sessions \(0 commits\)/);
    await expectNoProblems();
    if (!service.isRunning) await service.restart();
    expect((await admin.get('/api/me')).outcome).toBe('200 success');
  });
});
