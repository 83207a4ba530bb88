import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../support/api-client.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { OpenListDouble } from '../../support/openlist/openlist-double.js';
import { JUDGED_BETWEEN_RESTARTS, RightsRace } from '../../support/openlist/rights-race.js';
import { ScaledService } from '../../support/scaled-service.js';
import { StandaloneProcess, type ProcessEnv } from '../../support/standalone-process.js';
import { timesLength } from '../../support/test-length.js';

const CHANGES = timesLength(100);
const RESTARTS = timesLength(5);

type Service = Readonly<{ apis: readonly ApiClient[]; dispose(): Promise<void> }>;

async function threads(env: ProcessEnv): Promise<Service> {
  const app = await StandaloneProcess.start({ KEYFOLD_THREADS: '4', ...env });
  return { apis: [new ApiClient(app.baseUrl)], dispose: () => app.dispose() };
}

async function gateways(env: ProcessEnv): Promise<Service> {
  const service = await ScaledService.start(freshDatabaseUri(), { gateways: 2, workers: 1, env });
  return { apis: [service.api(0), service.api(1)], dispose: () => service.dispose() };
}

describe.each([
  ['4 threads', threads],
  ['2 gateways', gateways],
] as const)('%s in front of OpenList', (name, start) => {
  let double: OpenListDouble;
  let service: Service;
  let race: RightsRace;
  beforeAll(async () => {
    double = await OpenListDouble.start();
    service = await start({ KEYFOLD_OPENLIST_URL: double.url, KEYFOLD_OPENLIST_TOKEN: double.staticToken });
    race = await RightsRace.create(double, service.apis);
  });
  afterAll(async () => {
    await service?.dispose();
    await double?.[Symbol.asyncDispose]();
  });

  it(`forward no request with older rights than its account had when it began, over ${CHANGES} changes`, async () => {
    const began = performance.now();
    await race.change(CHANGES);
    const { API, WebDAV } = race.ran;
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(
      `${name}: ${race.changes} changes in ${seconds} s, ${API} requests ran over the API, ${WebDAV} over WebDAV, ${race.lateLogins} with a late login`,
    );
    expect(race.violations).toEqual([]);
    expect(API).toBeGreaterThan(CHANGES);
    expect(WebDAV).toBeGreaterThan(CHANGES / 2);
    expect(double.tokens.wrongLogins).toBe(race.lateLogins);
  });

  it(`refuse no request after ${RESTARTS} restarts of OpenList`, async () => {
    await race.restart(RESTARTS);
    console.log(`${name}: ${race.judgedBetweenRestarts} requests between ${RESTARTS} restarts`);
    expect(race.violations).toEqual([]);
    expect(race.judgedBetweenRestarts).toBeGreaterThanOrEqual(RESTARTS * JUDGED_BETWEEN_RESTARTS);
    expect(double.tokens.wrongLogins).toBe(race.lateLogins);
  });
});
