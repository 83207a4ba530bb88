import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { StoreInspection } from '../support/scaled-check.js';
import { ScaledService } from '../support/scaled-service.js';
import { ScaledCampaign } from './scaled-campaign.js';
import { seededRandom, shuffled } from './seeded-random.js';

/** Longer runs by hand: more kills, more requests between them, other moments. */
const KILLS = Number(process.env['KILLS'] ?? 6);
const ADDS = Number(process.env['KEYFOLD_FAULT_ADDS'] ?? 600);
const SEED = Number(process.env['KEYFOLD_FAULT_SEED'] ?? 1);
const ACCOUNTS = 30;
/** Short, so that what a killed worker held is free again while the test runs. */
const ENV = { KEYFOLD_LEASE_SECONDS: '2', KEYFOLD_LOG_LEVEL: 'warn' };

let mongo: ReplicaSet;
let service: ScaledService;
beforeAll(async () => {
  mongo = await ReplicaSet.start(1);
  service = await ScaledService.start(mongo.uri('keyfold'), { env: ENV });
});
afterAll(async () => {
  await service?.dispose();
  await mongo?.stop();
});

/** `others`: whether there are processes that answer while it is away. */
type Victim = Readonly<{ name: string; others: boolean; killAndRevive: () => Promise<void> }>;

/** Each process of the service, and as often the database. */
function victims(): Victim[] {
  const processes = service.processes.map((each) => ({
    name: each.name,
    others: true,
    async killAndRevive() {
      await each.kill();
      await each.start();
    },
  }));
  const database = {
    name: 'mongod',
    others: false,
    async killAndRevive() {
      await mongo.kill(0);
      await mongo.restart(0);
    },
  };
  return [...processes, database, database];
}

it(
  `keeps its word over ${KILLS} kills of gateways, workers and mongod (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const campaign = new ScaledCampaign(service, random, ACCOUNTS);
    const killed: string[] = [];
    try {
      await campaign.begin();
      let deck: Victim[] = [];
      while (killed.length < KILLS) {
        if (deck.length === 0) deck = shuffled(victims(), random);
        const victim = deck.pop()!;
        killed.push(victim.name);
        const answeredMeanwhile = await campaign.disturbedBy(victim.killAndRevive, ADDS);
        if (victim.others) expect(answeredMeanwhile, `while ${victim.name} was away`).toBeGreaterThan(0);
        await service.untilReady();
        expect(await campaign.check(), `after killing ${killed.join(', ')}\n${service.output()}`).toEqual([]);
      }
    } finally {
      campaign.close();
    }
    await expectWholeStore();
  },
  60_000 + 30_000 * KILLS,
);

/** The feed and the streams have no gap, and what the projectors wrote is what all events lead to. */
async function expectWholeStore(): Promise<void> {
  const inspection = await StoreInspection.open(service.uri);
  try {
    const found = await inspection.verify();
    expect(found).toMatchObject({ problems: [], behind: 0 });
    // Of each account its own stream, its keys and at least one session.
    expect(found.streams).toBeGreaterThanOrEqual(3 * ACCOUNTS);
  } finally {
    await inspection.close();
  }
}
