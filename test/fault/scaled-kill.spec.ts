import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyfold } from '../support/cli.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { EventSubscriber } from '../support/rabbitmq/event-subscriber.js';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { StoreInspection } from '../support/scaled-check.js';
import { ScaledService } from '../support/scaled-service.js';
import { SEED, timesLength } from '../support/test-length.js';
import { EventAudit } from './event-audit.js';
import { ScaledCampaign } from './scaled-campaign.js';
import { seededRandom, shuffled } from './seeded-random.js';
import { expectWholeStore } from './whole-store.js';

const KILLS = timesLength(4);
const ADDS = 200;
const ACCOUNTS = 20;
/** Short, so that the slots of a killed worker are free again during the test. */
const ENV = { KEYFOLD_LEASE_SECONDS: '2', KEYFOLD_LOG_LEVEL: 'warn' };

let mongo: ReplicaSet;
let broker: RabbitmqNode;
let subscriber: EventSubscriber;
let service: ScaledService;
beforeAll(async () => {
  [mongo, broker] = await Promise.all([ReplicaSet.start(1), RabbitmqNode.start()]);
  const messages = { KEYFOLD_RABBITMQ_URL: broker.url };
  const applied = await keyfold(messages, 'topology', 'apply');
  expect(applied.status, applied.err).toBe(0);
  subscriber = await EventSubscriber.open(broker.url);
  service = await ScaledService.start(mongo.uri('keyfold'), { gateways: 4, workers: 4, env: { ...ENV, ...messages } });
});
afterAll(async () => {
  await service?.dispose();
  await subscriber?.close();
  await Promise.all([mongo?.stop(), broker?.dispose()]);
});

/** `others`: whether other processes answer meanwhile. */
type Victim = Readonly<{ name: string; others: boolean; kill(): Promise<unknown>; revive(): Promise<unknown> }>;

/** One of each kind: a random gateway, a random worker, the database and the broker. */
function victims(random: () => number): Victim[] {
  const processes = [service.gateways, service.workers].map((kind) => {
    const each = kind[Math.floor(random() * kind.length)]!;
    return { name: each.name, others: true, kill: () => each.kill(), revive: () => each.start() };
  });
  return [
    ...processes,
    { name: 'mongod', others: false, kill: () => mongo.kill(0), revive: () => mongo.restart(0) },
    { name: 'broker', others: true, kill: () => broker.kill(), revive: () => broker.restart() },
  ];
}

it(`loses nothing over ${KILLS} kills of gateways, workers, broker and mongod (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const campaign = new ScaledCampaign(service, random, ACCOUNTS);
  const audit = new EventAudit(subscriber);
  const killed: string[] = [];
  try {
    await campaign.begin();
    let deck: Victim[] = [];
    while (killed.length < KILLS) {
      if (deck.length === 0) deck = shuffled(victims(random), random);
      const victim = deck.pop()!;
      killed.push(victim.name);
      const killAndRevive = async () => {
        await victim.kill();
        await victim.revive();
      };
      const answeredMeanwhile = await campaign.disturbedBy(killAndRevive, ADDS);
      if (victim.others) expect(answeredMeanwhile, `while ${victim.name} was away`).toBeGreaterThan(0);
      await service.untilReady();
      const known = `after killing ${killed.join(', ')}\n${service.output()}`;
      expect(await campaign.check(), known).toEqual([]);
      expect(await violationsOfEvents(audit, campaign), known).toEqual([]);
    }
  } finally {
    campaign.close();
  }
  // Each account has its own stream, its keys and at least one session.
  await expectWholeStore(service.uri, 3 * ACCOUNTS);
  const { duplicates, redelivered } = subscriber;
  console.log(`${KILLS} kills: ${audit.count} events, ${duplicates} duplicates, ${redelivered} marked as redelivered`);
});

/** Compares what the subscriber received with the store and with what clients were acknowledged. */
async function violationsOfEvents(audit: EventAudit, campaign: ScaledCampaign): Promise<string[]> {
  const inspection = await StoreInspection.open(service.uri);
  try {
    const violations = await audit.check(inspection.events);
    return [...violations, ...audit.unreported(campaign.takeAcknowledged()).map((fact) => `no event reports ${fact}`)];
  } finally {
    await inspection.close();
  }
}
