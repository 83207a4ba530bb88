import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newMember } from '../../support/accounts.js';
import type { ApiClient } from '../../support/api-client.js';
import { metricsWhen } from '../../support/metrics.js';
import { openListScene } from '../../support/openlist/scene.js';

const { app, double, admin, api } = await openListScene({ KEYFOLD_THREADS: '2' });
const list = (client: ApiClient) => client.post('/api/fs/list', { path: '/' });

let ann: ApiClient;
beforeAll(async () => {
  ann = await newMember(admin, 'ann');
  await list(ann);
  // A process that serves may still be starting.
  await vi.waitFor(() => app.managementUrl, 60_000);
});
afterEach(() => double.setFault(undefined));

const readiness = async () => {
  const answer = await fetch(`${app.managementUrl}/health/ready`);
  return { status: answer.status, text: await answer.text() };
};

describe('while OpenList is down', () => {
  it('forwarded requests get 503 and a time to come back, and our own are answered', async () => {
    await double.setFault('refuse');
    const refused = await list(ann);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(refused.outcome).toBe('503 the file server does not answer at the moment');
    expect((await api.send({ method: 'OPTIONS', path: '/dav/' })).status).toBe(503);
    expect((await ann.get('/api/me')).code).toBe(200);
  });

  it.each(['general', 'administrator'])('a large upload gets an answer, too: %s', async (kind) => {
    await double.setFault('refuse');
    const body = Buffer.alloc(1 << 20);
    const upload = { method: 'PUT', path: '/api/fs/put', headers: { 'file-path': '%2Fbig' }, body };
    expect((await (kind === 'general' ? ann : admin).send(upload)).status).toBe(503);
  });

  it('a browser gets a page', async () => {
    await double.setFault('refuse');
    const page = await api.with({ accept: 'text/html,*/*' }).get('/');
    expect(page).toMatchObject({ status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.text).toContain('The files are not available');
  });

  it('the process is ready and says so', async () => {
    await double.setFault('refuse');
    await vi.waitFor(async () => {
      const { status, text } = await readiness();
      expect(status).toBe(200);
      expect(text).toMatch(/"openlist":"ok, but /);
    }, 10_000);
  });
});

it('a process in front of an OpenList that hangs is ready and says so', async () => {
  await vi.waitFor(async () => expect((await readiness()).text).toContain('"openlist":"ok"'), 10_000);
  await double.setFault('hang');
  await vi.waitFor(async () => {
    const { status, text } = await readiness();
    expect(status).toBe(200);
    expect(text).toMatch(/"openlist":"ok, but /);
  }, 10_000);
});

it('once OpenList is known to hang, requests get 503 at once, until it answers again', async () => {
  const status = async () => {
    const signal = AbortSignal.timeout(500);
    return (await fetch(`${app.baseUrl}/robots.txt`, { signal, headers: { connection: 'close' } })).status;
  };
  await double.setFault('hang');
  await vi.waitFor(
    async () => {
      await readiness();
      expect(await status()).toBe(503);
    },
    { timeout: 30_000, interval: 100 },
  );
  await double.setFault(undefined);
  await vi.waitFor(async () => {
    for (let request = 0; request < 10; request++) expect(await status()).toBe(200);
  }, 15_000);
});

describe('a restart of OpenList', () => {
  it('refuses nobody, although it forgets all tokens', async () => {
    for (let restart = 0; restart < 5; restart++) {
      await double.restart();
      const answers = await Promise.all(Array.from({ length: 20 }, () => list(ann)));
      // A request on a connection that just ended may have to come back.
      for (const { code } of answers) expect([200, 503]).toContain(code);
      await vi.waitFor(async () => expect((await list(ann)).code).toBe(200), 5_000);
    }
  });

  it('is counted by the requests that were sent again', async () => {
    await vi.waitFor(() => list(ann).then(({ code }) => expect(code).not.toBe(503)), 5_000);
    double.tokens.forgetAll();
    await list(ann);
    await metricsWhen(
      app.managementUrl,
      (series) =>
        series.get('keyfold_openlist_requests_repeated_total')! > 0 &&
        series.get('keyfold_openlist_requests_total{outcome="answered"}')! > 0 &&
        series.get('keyfold_openlist_requests_total{outcome="unavailable"}')! > 0,
    );
  });
});

it('nothing of a mirror is logged', () => {
  const secrets = double.requests.received.map(({ authorization }) => authorization).filter(Boolean);
  expect(secrets.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(app.output()).not.toContain(secret);
});
