import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { beginLogin, untilReceived } from '../support/begun-login.js';
import { logLines } from '../support/log-lines.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { SCALED_SETTINGS, ScaledProcess, type ScaledApp } from '../support/scaled-process.js';
import { migrate } from '../support/scaled-service.js';

async function created(app: ScaledApp, uri: string): Promise<ScaledProcess> {
  const process = await ScaledProcess.create(app, app, { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri });
  onTestFinished(() => process.dispose());
  return process;
}

const warnings = (process: ScaledProcess) => logLines(process.output()).filter(({ level }) => level >= 40);

describe('while MongoDB is down', () => {
  let set: ReplicaSet;
  let uri: string;

  beforeAll(async () => {
    set = await ReplicaSet.start(1);
    uri = set.uri('keyfold');
    await migrate(uri);
  });
  afterAll(() => set.stop());

  it('each app waits for it, is alive, reports what it waits for, and gets ready when it comes', async () => {
    await set.kill(0);
    const apps = await Promise.all((['gateway', 'worker', 'standalone'] as const).map((app) => created(app, uri)));
    apps.forEach((app) => app.spawn());
    await Promise.all(apps.map(expectWaiting));
    await set.restart(0);
    await set.primary();
    await Promise.all(apps.map(expectReady));
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0, 0]);
  });

  async function expectWaiting(app: ScaledProcess): Promise<void> {
    await expect.poll(() => app.liveness(), { message: app.name, timeout: 30_000 }).toBe(200);
    const store = expect.stringMatching(/^MongoDB is not available: .*ECONNREFUSED/);
    await expect
      .poll(() => app.readiness(), { message: app.name, timeout: 30_000 })
      .toMatchObject({ code: 503, status: 'not ready', checks: { process: 'is starting', store } });
    await expect(new ApiClient(app.baseUrl).get('/ping')).rejects.toThrow('ECONNREFUSED');
  }

  async function expectReady(app: ScaledProcess): Promise<void> {
    await app.untilReady();
    expect(await app.readiness()).toMatchObject({ code: 200, status: 'ready', checks: { store: 'ok' } });
    const reasons = warnings(app).map(({ msg }) => msg);
    expect(reasons[0]).toMatch(/^startup is waiting: MongoDB is not available/);
    expect(new Set(reasons).size).toBe(reasons.length);
  }

  it('a waiting process exits with 0 on SIGTERM', async () => {
    await set.kill(0);
    const gateway = await created('gateway', uri);
    gateway.spawn();
    await expect.poll(() => gateway.liveness(), { timeout: 30_000 }).toBe(200);
    expect(await gateway.stop()).toBe(0);
    await set.restart(0);
    await set.primary();
  });
});

describe('SIGTERM', () => {
  it('stops gateway, worker and standalone with 0 and without warnings', async () => {
    const uri = freshDatabaseUri();
    await migrate(uri);
    const apps = await Promise.all((['gateway', 'worker', 'standalone'] as const).map((app) => created(app, uri)));
    await Promise.all(apps.map((app) => app.start()));
    expect(await apps[1]?.readiness()).toMatchObject({ code: 200, checks: { store: 'ok', projector: 'ok' } });
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0, 0]);
    for (const app of apps) expect(warnings(app)).toEqual([]);
  });

  it('turns readiness to 503 while a running request still gets its answer', async () => {
    const uri = freshDatabaseUri();
    await migrate(uri);
    const gateway = await created('gateway', uri);
    await gateway.start();
    const { socket, body } = await beginLogin(gateway.port);
    const stopped = gateway.stop();
    await expect.poll(() => gateway.readiness()).toMatchObject({ code: 503, checks: { process: 'is stopping' } });
    expect(await gateway.liveness()).toBe(200);
    socket.write(body);
    await untilReceived(socket, '"token":');
    expect(await stopped).toBe(0);
  });
});
