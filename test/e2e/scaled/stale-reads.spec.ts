import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountClient } from '../../support/account-client.js';
import { ADMIN_PASSWORD } from '../../support/accounts.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';
import { Member, type GatewayPair } from './member.js';

/** Number of changes in each test. For longer runs, set it by hand. */
const PAIRS = Number(process.env['KEYFOLD_E2E_PAIRS'] ?? 2_000);
/** Number of accounts that change in parallel. */
const MEMBERS = 32;
/** Only every 30th round ends sessions, because the new logins cost password hashes. */
const ROUNDS_TO_NEW_SESSIONS = 30;
const LIMIT_MS = 60_000 + 20 * PAIRS;

let service: ScaledService;
let gateways: GatewayPair;
let members: readonly Member[];
let rounds = 0;

beforeAll(async () => {
  service = await ScaledService.start(freshDatabaseUri());
  gateways = [
    new AccountClient(service.gateway(0).baseUrl, MEMBERS),
    new AccountClient(service.gateway(1).baseUrl, MEMBERS),
  ];
  const admin = (await gateways[0].login('admin', ADMIN_PASSWORD)) ?? '';
  members = await Promise.all(
    Array.from({ length: MEMBERS }, (_, index) => Member.create(gateways, admin, `watched-${index}`)),
  );
});

afterAll(async () => {
  gateways?.forEach((gateway) => gateway.close());
  await service?.dispose();
});

it(
  `reads by id are never stale over ${PAIRS} changes on one gateway that are read through the other`,
  () => expectNothingStale(),
  LIMIT_MS,
);

it(
  'reads by id are never stale while every worker is down',
  async () => {
    await Promise.all(service.workers.map((worker) => worker.kill()));
    await expectNothingStale();
  },
  LIMIT_MS,
);

async function expectNothingStale(): Promise<void> {
  const due = pairsSoFar() + PAIRS;
  const work = async (member: Member) => {
    for (let going = true; going && pairsSoFar() < due;) {
      const round = ++rounds;
      const endsSessions = round % ROUNDS_TO_NEW_SESSIONS === 0;
      going = await member.runRound(async () => {
        await member.changeAccount(round);
        if (endsSessions) await member.changeSessions(round);
      });
    }
  };
  await Promise.all(members.map(work));
  expect(members.flatMap(({ violations }) => violations)).toEqual([]);
  expect(pairsSoFar()).toBeGreaterThanOrEqual(due);
}

const pairsSoFar = () => members.reduce((total, { pairs }) => total + pairs, 0);
