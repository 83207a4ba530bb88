import { describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { readMetrics } from '../../support/metrics.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { OpenListDouble } from '../../support/openlist/openlist-double.js';
import { ScaledService } from '../../support/scaled-service.js';
import { StandaloneProcess, type ProcessEnv } from '../../support/standalone-process.js';

type Carrying = Readonly<{ baseUrl: string; managementUrl: string; readinessUrl: string; output(): string }>;

async function onSqlite(env: ProcessEnv): Promise<Carrying> {
  const app = await StandaloneProcess.start(env);
  onTestFinished(() => app.dispose());
  const { baseUrl, managementUrl } = app;
  return { baseUrl, managementUrl, readinessUrl: `${managementUrl}/health/ready`, output: () => app.output() };
}

async function onMongo(env: ProcessEnv): Promise<Carrying> {
  const service = await ScaledService.start(freshDatabaseUri(), { gateways: 1, workers: 1, env });
  onTestFinished(() => service.dispose());
  const { managementUrl } = service.workers[0]!;
  const readinessUrl = `${managementUrl}/health/ready`;
  return { baseUrl: service.baseUrl, managementUrl, readinessUrl, output: () => service.output() };
}

describe.each([
  ['the standalone process', onSqlite],
  ['a worker', onMongo],
] as const)('%s in front of OpenList', (name, start) => {
  it('carries changes there without a request, waits during an outage, and reports both', async () => {
    const double = await OpenListDouble.start();
    onTestFinished(() => double[Symbol.asyncDispose]());
    const settings = { KEYFOLD_OPENLIST_URL: double.url, KEYFOLD_OPENLIST_TOKEN: double.staticToken };
    const { baseUrl, managementUrl, readinessUrl, output } = await start(settings);
    const admin = await adminOf(new ApiClient(baseUrl));
    const metric = async (each: string) => (await readMetrics(managementUrl)).get(`keyfold_openlist_${each}`);
    await createAccount(admin, 'ann', { permission: 3, base_path: '/ann' });
    await eventually(() => expect(double.users.named('ann')).toMatchObject({ permission: 3, base_path: '/ann' }));
    await eventually(async () => expect(await metric('pending_commits')).toBe(0));
    expect([await metric('up'), await metric('parked_accounts')]).toEqual([1, 0]);
    expect(await metric('carried_total')).toBeGreaterThan(0);

    await double.setFault('502');
    await createAccount(admin, 'bea');
    await eventually(async () => expect(await metric('up')).toBe(0));
    expect(await metric('pending_commits')).toBeGreaterThan(0);
    // The result of a check is reused for a second.
    await eventually(async () => {
      const readiness = await fetch(readinessUrl);
      expect(readiness.status).toBe(200);
      if (name === 'a worker')
        expect(await readiness.json()).toMatchObject({
          checks: { openlist: expect.stringContaining('ok, but OpenList does not answer') },
        });
    });

    await double.setFault(undefined);
    await eventually(() => expect(double.users.named('bea')).toBeDefined());
    await eventually(async () => expect([await metric('up'), await metric('pending_commits')]).toEqual([1, 0]));
    expect(output()).not.toContain(double.staticToken);
  });
});
