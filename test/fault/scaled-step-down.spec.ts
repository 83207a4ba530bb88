import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { ScaledService } from '../support/scaled-service.js';
import { SEED, timesLength } from '../support/test-length.js';
import { ScaledCampaign } from './scaled-campaign.js';
import { seededRandom } from './seeded-random.js';
import { expectWholeStore } from './whole-store.js';

const STEP_DOWNS = timesLength(1);
const ADDS = 200;
const ACCOUNTS = 30;
/** Shorter than the time between two step-downs, so that another node can always take over. */
const STAYS_DOWN_SECONDS = 2;

let mongo: ReplicaSet;
let service: ScaledService;
beforeAll(async () => {
  mongo = await ReplicaSet.start(3);
  service = await ScaledService.start(mongo.uri('keyfold'), { env: { KEYFOLD_LEASE_SECONDS: '2' } });
});
afterAll(async () => {
  await service?.dispose();
  await mongo?.stop();
});

it(`loses nothing over ${STEP_DOWNS} step-downs of the primary and a kill of it (seed ${SEED})`, async () => {
  const campaign = new ScaledCampaign(service, seededRandom(SEED), ACCOUNTS);
  try {
    await campaign.begin();
    for (let round = 1; round <= STEP_DOWNS; round++) {
      await campaign.disturbedBy(stepDown, ADDS);
      await service.untilReady();
      expect(await campaign.check(), `after step-down ${round}\n${service.output()}`).toEqual([]);
    }
    await campaign.disturbedBy(killPrimary, ADDS);
    await service.untilReady();
    expect(await campaign.check(), `after the kill\n${service.output()}`).toEqual([]);
  } finally {
    campaign.close();
  }
  await expectWholeStore(service.uri);
});

async function stepDown(): Promise<void> {
  await mongo.stepDown(STAYS_DOWN_SECONDS);
  await mongo.primary();
}

async function killPrimary(): Promise<void> {
  const killed = await mongo.primary();
  await mongo.kill(killed);
  await mongo.primary();
  await mongo.restart(killed);
}
