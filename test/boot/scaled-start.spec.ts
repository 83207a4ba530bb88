import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { SCALED_SETTINGS, ScaledProcess, type ScaledApp } from '../support/scaled-process.js';
import type { ProcessEnv } from '../support/keyfold-process.js';
import { migrate } from '../support/scaled-service.js';

async function created(app: ScaledApp, uri: string, env: ProcessEnv = {}): Promise<ScaledProcess> {
  const process = await ScaledProcess.create(app, app, { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri, ...env });
  onTestFinished(() => process.dispose());
  return process;
}

const warnings = (process: ScaledProcess) => logLines(process.output()).filter(({ level }) => level >= 40);

describe('while MongoDB is away', () => {
  let set: ReplicaSet;
  let uri: string;

  beforeAll(async () => {
    set = await ReplicaSet.start(1);
    uri = set.uri('keyfold');
    await migrate(uri);
  });
  afterAll(() => set.stop());

  it.each(['gateway', 'worker', 'standalone'] as const)(
    'a %s waits for it, is alive, says what it waits for, and is ready when it comes',
    async (app) => {
      await set.kill(0);
      const process = await created(app, uri);
      process.spawn();
      await expect.poll(() => process.liveness(), { timeout: 10_000 }).toBe(200);
      const store = expect.stringMatching(/^MongoDB is not available: .*ECONNREFUSED/);
      await expect
        .poll(() => process.readiness(), { timeout: 15_000 })
        .toMatchObject({ code: 503, status: 'not ready', checks: { process: 'is starting', store } });
      await expect(new ApiClient(process.baseUrl).get('/ping')).rejects.toThrow('ECONNREFUSED');
      await set.restart(0);
      await set.primary();
      await process.untilReady();
      expect(await process.readiness()).toMatchObject({ code: 200, status: 'ready', checks: { store: 'ok' } });
      const reasons = warnings(process).map(({ msg }) => msg);
      expect(reasons[0]).toMatch(/^the start waits: MongoDB is not available/);
      expect(new Set(reasons).size).toBe(reasons.length);
      expect(await process.stop()).toBe(0);
    },
  );

  it('a process that waits ends with 0 when it is asked to', async () => {
    await set.kill(0);
    const gateway = await created('gateway', uri);
    gateway.spawn();
    await expect.poll(() => gateway.liveness(), { timeout: 10_000 }).toBe(200);
    const asked = performance.now();
    expect(await gateway.stop()).toBe(0);
    // Far less than a try to connect takes.
    expect(performance.now() - asked).toBeLessThan(3_000);
    await set.restart(0);
    await set.primary();
  });

  it('a process that runs is not ready until it is back, and stays alive', async () => {
    const [gateway, worker] = await Promise.all([created('gateway', uri), created('worker', uri)]);
    await Promise.all([gateway.start(), worker.start()]);
    await set.kill(0);
    for (const process of [gateway, worker]) {
      await expect
        .poll(() => process.readiness(), { timeout: 20_000 })
        .toMatchObject({ code: 503, checks: { store: expect.stringMatching(/^MongoDB is not available: /) } });
      expect(await process.liveness()).toBe(200);
    }
    expect(await (await fetch(`${gateway.baseUrl}/ping`)).text()).toBe('pong');
    await set.restart(0);
    await set.primary();
    await Promise.all([gateway.untilReady(), worker.untilReady()]);
    expect((await new ApiClient(gateway.baseUrl).logIn('admin', ADMIN_PASSWORD)).code).toBe(200);
    expect(await Promise.all([gateway.stop(), worker.stop()])).toEqual([0, 0]);
  });
});

describe('several processes that start on an empty database at once', () => {
  it('agree on one admin, and tell one password, which is the right one', async () => {
    const uri = freshDatabaseUri();
    await migrate(uri);
    const env = { KEYFOLD_ADMIN_PASSWORD: undefined };
    const gateways = await Promise.all([created('gateway', uri, env), created('gateway', uri, env)]);
    await Promise.all(gateways.map((gateway) => gateway.start()));
    const told = gateways.flatMap((gateway) => logLines(gateway.output())).flatMap(({ password }) => password ?? []);
    const [password, ...others] = new Set(told.map(String));
    expect(others).toEqual([]);
    for (const { baseUrl } of gateways)
      expect((await new ApiClient(baseUrl).logIn('admin', String(password))).code).toBe(200);
  });
});

describe('SIGTERM', () => {
  it('ends gateway, worker and standalone with 0 and without a complaint', async () => {
    const uri = freshDatabaseUri();
    await migrate(uri);
    const apps = await Promise.all((['gateway', 'worker', 'standalone'] as const).map((app) => created(app, uri)));
    await Promise.all(apps.map((app) => app.start()));
    expect(await apps[1]?.readiness()).toMatchObject({ code: 200, checks: { store: 'ok', projector: 'ok' } });
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0, 0]);
    for (const app of apps) expect(warnings(app)).toEqual([]);
  });

  it('turns the readiness to 503 while a request still runs, which has its answer', async () => {
    const uri = freshDatabaseUri();
    await migrate(uri);
    const gateway = await created('gateway', uri);
    await gateway.start();
    const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
    const socket = connect(gateway.port, '127.0.0.1').setEncoding('utf8');
    const head = ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Expect: 100-continue'];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`);
    // The server has the request once it asks for its body.
    await once(socket, 'data');
    const stopped = gateway.stop();
    await expect
      .poll(() => gateway.readiness())
      .toMatchObject({ code: 503, checks: { process: 'is stopping', store: 'ok' } });
    expect(await gateway.liveness()).toBe(200);
    const answer = once(socket, 'data');
    socket.write(body);
    expect(String(await answer)).toContain('"token":');
    expect(await stopped).toBe(0);
  });
});
