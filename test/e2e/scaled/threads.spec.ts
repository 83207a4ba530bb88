import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountClient } from '../../support/account-client.js';
import { readMetrics } from '../../support/metrics.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';
import type { ClientPair } from '../../support/stale-reads/paired-reads.js';
import { Members, MEMBERS } from '../../support/stale-reads/members.js';
import { timesLength } from '../../support/test-length.js';

const CHANGES = timesLength(250);
let service: ScaledService;
let clients: ClientPair;

beforeAll(async () => {
  const env = { KEYFOLD_THREADS: '3' };
  service = await ScaledService.start(freshDatabaseUri(), { gateways: 1, workers: 1, env });
  const { baseUrl } = service.gateway(0);
  clients = [new AccountClient(baseUrl, MEMBERS), new AccountClient(baseUrl, MEMBERS)];
});

afterAll(async () => {
  clients?.forEach((client) => client.close());
  await service?.dispose();
});

it(`a gateway with several threads answers no read stale over ${CHANGES} changes`, async () => {
  const members = await Members.create(clients);
  await members.expectNothingStale(CHANGES);
});

it('a gateway with several threads reports exact sums in its metrics', async () => {
  const { baseUrl, managementUrl } = service.gateway(0);
  await Promise.all(Array.from({ length: 200 }, () => fetch(`${baseUrl}/ping`).then((answer) => answer.text())));
  await expect
    .poll(
      async () =>
        (await readMetrics(managementUrl)).get('keyfold_http_requests_total{method="GET",route="/ping",status="200"}'),
      { timeout: 30_000 },
    )
    .toBe(200);
});

it('a gateway with several threads shuts down with status 0', async () => {
  expect(await service.gateway(0).stop()).toBe(0);
});
