import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADMIN_PASSWORD, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { beginLogin, untilReceived } from '../support/begun-login.js';
import { requestUntilGone, type KeepAliveRequest } from '../support/keep-alive-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';

async function start(threads = '3'): Promise<StandaloneProcess> {
  const app = await StandaloneProcess.start({ KEYFOLD_THREADS: threads });
  onTestFinished(() => app.dispose());
  return app;
}

describe('SIGTERM', () => {
  it('exits with 0 although one client keeps an idle connection and another never completes its request', async () => {
    const app = await start();
    await beginLogin(app.port);
    const socket = connect(app.port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET /ping HTTP/1.1\r\nHost: a\r\n\r\n');
    await untilReceived(socket, 'pong');
    expect(await app.stop()).toBe(0);
  });

  it.each(['1', '3'])('finishes running requests of %s threads before it exits with 0', async (threads) => {
    const app = await start(threads);
    const logins = await Promise.all([beginLogin(app.port), beginLogin(app.port), beginLogin(app.port)]);
    const stopped = app.stop();
    await refusesConnections(app);
    const answers = logins.map(({ socket, body }) => {
      socket.write(body);
      return untilReceived(socket, '"data":{"token":');
    });
    expect(await Promise.all(answers)).toHaveLength(3);
    expect(await stopped).toBe(0);
  });

  it('loses nothing that was acknowledged', async () => {
    const app = await start();
    const admin = await new ApiClient(app.baseUrl).signedIn('admin', ADMIN_PASSWORD);
    const names = Array.from({ length: 20 }, (_, index) => `member-${index}`);
    const acknowledged: string[] = [];
    const creating = names.map(async (username) => {
      const answer = await admin.post('/api/admin/user/create', { username, password: 'x' });
      if (answer.code === 200) acknowledged.push(username);
    });
    await Promise.race(creating);
    expect(await app.stop()).toBe(0);
    await Promise.allSettled(creating);
    await app.restart();
    const { content } = (await admin.get('/api/admin/user/list')).data<{ content: { username: string }[] }>();
    expect(content.map(({ username }) => username)).toEqual(expect.arrayContaining(acknowledged));
  });
});

const isReady = async (management: string) => (await fetch(`${management}/health/ready`)).ok;

describe('SIGTERM under load', () => {
  it('turns unready at once, loses no request of keep-alive clients, and exits with 0', async () => {
    const app = await start();
    // The address is logged shortly after the first answer.
    const management = await vi.waitFor(() => app.managementUrl, 30_000);
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const writers = await Promise.all(Array.from({ length: 8 }, (_, index) => newWriter(admin, `writer ${index}`)));
    let asked = 0;
    const reading = Array.from({ length: 32 }, () =>
      requestUntilGone(app.baseUrl, () => {
        asked++;
        return { method: 'GET', path: '/api/public/settings' };
      }),
    );
    const writing = writers.map((write) => requestUntilGone(app.baseUrl, write));
    while (asked < 2_000) await sleep(10);
    const stopped = app.stop();
    while (await isReady(management)) await sleep(10);
    // New connections are still served until a load balancer has noticed.
    expect((await new ApiClient(app.baseUrl).get('/ping')).status).toBe(200);
    const results = await Promise.all([...reading, ...writing]);
    expect(results.flatMap(({ lost }) => lost)).toEqual([]);
    for (const { answers, closes } of results) {
      expect(answers).toBeGreaterThan(0);
      // The client was asked to reconnect before the server closed.
      expect(closes).toBeGreaterThan(0);
    }
    expect(await stopped).toBe(0);
  });
});

/** Returns the requests of an account that changes itself with each of them. */
async function newWriter(admin: ApiClient, name: string): Promise<(round: number) => KeepAliveRequest> {
  const { token } = await newMember(admin, name);
  const headers = { authorization: token, 'content-type': 'application/json' };
  return (round) => ({
    method: 'POST',
    path: '/api/me/update',
    headers,
    body: JSON.stringify({ username: name, password: '', sso_id: `${name} ${round}` }),
  });
}

async function refusesConnections({ baseUrl }: StandaloneProcess): Promise<void> {
  const api = new ApiClient(baseUrl);
  const isOpen = () =>
    api.get('/ping').then(
      () => true,
      () => false,
    );
  while (await isOpen()) await sleep(10);
}
