import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { SEED, timesLength } from '../support/test-length.js';
import { brokerFaults, type BrokerFault } from './broker-faults.js';
import { ACCOUNTS, RelayScene, WINDOW } from './relay-scene.js';
import { seededRandom, shuffled } from './seeded-random.js';

const EVENTS = timesLength(2_000);
/** All faults happen once per this many events. */
const EVENTS_OF_A_ROUND = 25_000;
const POLL = { timeout: 180_000, interval: 20 };

let node: RabbitmqNode;

beforeAll(async () => {
  node = await RabbitmqNode.start();
});
afterAll(async () => {
  await node?.dispose();
});

/** Returns all faults in rounds, each in random order. */
function schedule(): BrokerFault[] {
  const random = seededRandom(SEED);
  const names = Object.keys(brokerFaults) as BrokerFault[];
  return Array.from({ length: Math.ceil(EVENTS / EVENTS_OF_A_ROUND) }, () => shuffled(names, random)).flat();
}

const figure = (count: number) => count.toLocaleString('en');

test('a relay loses nothing and keeps the order of each account despite broker and network faults', async () => {
  const scene = await RelayScene.open(node, 'listener-of-one', seededRandom(SEED));
  const { listener } = scene.stage;
  await scene.flow.burst(100);
  const { relay } = await scene.startRelay();
  const faults = schedule();
  const repeated = new Map<BrokerFault, number>();
  const began = performance.now();
  for (const fault of faults) {
    const more = await scene.inject(fault, Math.ceil(EVENTS / faults.length));
    repeated.set(fault, (repeated.get(fault) ?? 0) + more);
  }
  await scene.expectWhole();
  console.log(
    `relay faults, seed ${SEED}: ${faults.length} faults in ${Math.round((performance.now() - began) / 1_000)} s, ` +
      `${figure(listener.received)} events of ${ACCOUNTS} accounts, 0 lost, 0 out of order, ${figure(listener.repeated)} ` +
      `duplicates (${[...repeated].map(([fault, count]) => `${fault} ${figure(count)}`).join(', ')}), ` +
      `${figure(listener.redelivered)} redelivered by the broker`,
  );
  expect(listener.repeated).toBeLessThanOrEqual(scene.uncertain);
  expect(listener.repeated).toBeLessThanOrEqual(faults.length * WINDOW);
  expect(relay.status()).toMatchObject({ parked: 0, failing: false });
});

test('two relays that share the slots do the same while one of them stops and restarts', async () => {
  const scene = await RelayScene.open(node, 'listener-of-two', seededRandom(SEED));
  const { listener } = scene.stage;
  const share = Math.ceil(EVENTS / 15);
  const first = await scene.startRelay();
  const second = await scene.startRelay();
  await vi.waitUntil(() => first.relay.status().members.length === 2, POLL);
  await scene.inject('sockets cut', share);

  await scene.flow.during(share, scene.stopRelay(first));
  await vi.waitUntil(() => second.relay.status().slots === scene.store.slots, POLL);

  await scene.flow.during(share, untilShared(scene));
  await scene.inject('sockets cut', share);
  await scene.expectWhole();
  console.log(
    `two relays: ${figure(listener.received)} events, 0 lost, 0 out of order, ${figure(listener.repeated)} duplicates`,
  );
  expect(listener.repeated).toBeLessThanOrEqual(scene.uncertain);
});

/** Waits until both relays hold half of the slots again. */
async function untilShared(scene: RelayScene): Promise<void> {
  await scene.startRelay();
  const slots = () => scene.relays.map(({ relay }) => relay.status().slots);
  await vi.waitUntil(() => slots().filter((count) => count === scene.store.slots / 2).length === 2, POLL);
}
