import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ModelEventStore } from '../../../event-store/testing/model-event-store.js';
import { ModelFeedLeases } from '../../../event-store/testing/model-feed-leases.js';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { ModelConnection } from '../../testing/model-connection.js';
import { ModelParkedAccounts } from '../../testing/model-parked-accounts.js';
import { modelMessagesOf } from '../../testing/model-publisher.js';
import type { BrokerConnection } from '../rabbitmq/connection/broker-connection.js';
import { RabbitMqPublisher } from '../rabbitmq/publishing/rabbitmq-publisher.js';
import { MessageOutlet } from './message-outlet.js';
import { Relay } from './relay.js';

const SLOTS = 64;
/** Documented in docs/run/alerts.md. */
const TAKEOVER = 15_000;
const STEP = 100;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** Advances the clock until the condition holds. Returns the elapsed milliseconds. */
async function millisecondsUntil(condition: () => boolean): Promise<number> {
  let elapsed = 0;
  for (; !condition() && elapsed < 10 * TAKEOVER; elapsed += STEP) await vi.advanceTimersByTimeAsync(STEP);
  return elapsed;
}

/** Two workers, of which the second starts `delay` milliseconds later. */
async function twoWorkers(delay: number) {
  const store = new ModelEventStore(SLOTS);
  const leases = new ModelFeedLeases();
  const parked = new ModelParkedAccounts();
  const newWorker = () => {
    const connection = new ModelConnection();
    connection.confirmsSoon = () => true;
    const options = { exchange: 'events', appId: 'keyfold/test' };
    const publisher = new RabbitMqPublisher(connection as unknown as BrokerConnection, options);
    const outlet = new MessageOutlet(publisher, modelMessagesOf);
    const relay = new Relay(store, outlet, leases, parked, { onError: () => undefined, onParked: () => undefined });
    return { connection, publisher, outlet, relay };
  };
  const workers = [newWorker(), newWorker()] as const;
  onTestFinished(async () => {
    const closed = Promise.all(workers.flatMap(({ relay, publisher }) => [relay.stop(), publisher.close()]));
    await vi.advanceTimersByTimeAsync(TAKEOVER);
    await closed;
  });
  workers[0].relay.start();
  await vi.advanceTimersByTimeAsync(delay);
  workers[1].relay.start();
  const shares = () => workers.map(({ relay }) => relay.status().slots);
  await millisecondsUntil(() => shares().every((share) => share === SLOTS / 2));
  const append = async () => {
    const accounts = Array.from({ length: SLOTS }, (_, index) => `account-${store.commits.length + index}`);
    for (const account of accounts) await store.append(newCommit(account, 1, { partition: account }));
  };
  return { workers, shares, append };
}

describe('a worker whose broker stops answering', () => {
  it.each([0, 1_000, 2_500, 3_300])(
    'gives all slots to the other one within 15 seconds, which publishes all events (%i ms between their starts)',
    async (delay) => {
      const { workers, shares, append } = await twoWorkers(delay);
      const [lost, other] = workers;
      lost.connection.confirmsSoon = () => false;
      await append();
      expect(await millisecondsUntil(() => shares()[1] === SLOTS)).toBeLessThanOrEqual(TAKEOVER);
      expect(shares()).toEqual([0, SLOTS]);
      await millisecondsUntil(() => other.outlet.published >= SLOTS);
      expect(other.outlet.published).toBe(SLOTS);
      lost.connection.confirmsSoon = () => true;
      expect(await millisecondsUntil(() => shares()[0] === SLOTS / 2)).toBeLessThanOrEqual(TAKEOVER);
    },
  );
});

it('no slot moves while only one type of events has no confirm', async () => {
  const { workers, shares, append } = await twoWorkers(0);
  for (const { connection } of workers) connection.confirmsSoon = (key) => key === 'keyfold.probe';
  await append();
  for (let second = 0; second < 120; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(shares()).toEqual([SLOTS / 2, SLOTS / 2]);
  }
  for (const { publisher } of workers) expect(publisher.stall).toMatchObject({ isTotal: false });
  for (const { publisher } of workers) expect(publisher.stall!.seconds).toBeGreaterThan(110);
});
