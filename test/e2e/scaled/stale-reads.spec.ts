import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountClient } from '../../fault/account-client.js';
import { ADMIN_PASSWORD } from '../../support/accounts.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';
import { Member, type Sides } from './member.js';

/** Changes that are looked at through the other gateway; more by hand. */
const PAIRS = Number(process.env['KEYFOLD_E2E_PAIRS'] ?? 10_000);
/** Accounts that change side by side. */
const MEMBERS = 32;
/** Of so many rounds one ends sessions, which costs password hashes. */
const ROUNDS_TO_NEW_SESSIONS = 30;
const LIMIT_MS = 60_000 + 20 * PAIRS;

let service: ScaledService;
let sides: Sides;
let admin: string;

beforeAll(async () => {
  service = await ScaledService.start(freshDatabaseUri());
  sides = [
    new AccountClient(service.gateway(0).baseUrl, MEMBERS),
    new AccountClient(service.gateway(1).baseUrl, MEMBERS),
  ];
  admin = (await sides[0].login('admin', ADMIN_PASSWORD)) ?? '';
});

afterAll(async () => {
  sides?.forEach((side) => side.close());
  await service?.dispose();
});

it(
  `no read by id is stale over ${PAIRS} changes on one gateway that are looked at through the other`,
  () => expectNothingStale('watched'),
  LIMIT_MS,
);

it(
  'so it is while every worker is down',
  async () => {
    await Promise.all(service.workers.map((worker) => worker.kill()));
    await expectNothingStale('alone');
  },
  LIMIT_MS,
);

async function expectNothingStale(name: string): Promise<void> {
  const members: Member[] = [];
  for (let index = 0; index < MEMBERS; index++) members.push(await Member.create(sides, admin, `${name}-${index}`));
  let rounds = 0;
  const work = async (member: Member) => {
    for (let going = true; going && pairsOf(members) < PAIRS;) {
      const round = ++rounds;
      const endsSessions = round % ROUNDS_TO_NEW_SESSIONS === 0;
      going = await member.attempt(async () => {
        await member.changeThings(round);
        if (endsSessions) await member.changeSessions(round);
      });
    }
  };
  await Promise.all(members.map(work));
  expect(members.flatMap(({ faults }) => faults)).toEqual([]);
  expect(pairsOf(members)).toBeGreaterThanOrEqual(PAIRS);
}

const pairsOf = (members: readonly Member[]) => members.reduce((total, { pairs }) => total + pairs, 0);
