import { afterAll, beforeAll, it } from 'vitest';
import { AccountClient } from '../../support/account-client.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';
import type { ClientPair } from '../../support/stale-reads/paired-reads.js';
import { Members, MEMBERS } from '../../support/stale-reads/members.js';
import { timesLength } from '../../support/test-length.js';

/** Number of changes in each test. */
const CHANGES = timesLength(500);

let service: ScaledService;
let gateways: ClientPair;
let members: Members;

beforeAll(async () => {
  service = await ScaledService.start(freshDatabaseUri());
  gateways = [
    new AccountClient(service.gateway(0).baseUrl, MEMBERS),
    new AccountClient(service.gateway(1).baseUrl, MEMBERS),
  ];
  members = await Members.create(gateways);
});

afterAll(async () => {
  gateways?.forEach((gateway) => gateway.close());
  await service?.dispose();
});

it(`reads by id are never stale over ${CHANGES} changes on one gateway that are read through the other`, () =>
  members.expectNothingStale(CHANGES));

it('reads by id are never stale while every worker is down', async () => {
  await Promise.all(service.workers.map((worker) => worker.kill()));
  await members.expectNothingStale(CHANGES);
});
