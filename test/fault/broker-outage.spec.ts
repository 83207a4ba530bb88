import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { everyCommand } from './every-command.js';
import { PublishingService } from './publishing-service.js';

/** The longest that a command may take on a busy machine, with or without a broker. */
const LONGEST_COMMAND = 5_000;
/** The time in which a worker detects a hanging broker (it expects a heartbeat every other second) or its return. */
const NOTICE = 20_000;
/**
 * The time until everything works again after an outage: a worker reconnects and follows the feed at intervals of
 * seconds.
 */
const RECOVERY = 90_000;
/** The longest that a shutdown may take, including closing the connection to a broker that may not answer. */
const LONGEST_STOP = 12_000;
/** Fewer than the events of one account's life. */
const A_FEW = 10;

type Outage = Readonly<{
  state: string;
  begin: () => Promise<void> | void;
  end: () => Promise<void> | void;
  /** The worker's readiness check of the broker. A broker that accepts no messages is still available. */
  workerSays: RegExp;
}>;
const UNAVAILABLE = /^RabbitMQ at 127\.0\.0\.1:\d+ is unavailable/;
const outages: readonly Outage[] = [
  {
    state: 'hangs with its connections open',
    begin: () => broker.freeze(),
    end: () => broker.thaw(),
    workerSays: UNAVAILABLE,
  },
  {
    state: 'has no memory left',
    begin: () => broker.setMemoryAlarm(true),
    end: () => broker.setMemoryAlarm(false),
    workerSays: /^ok, but RabbitMQ at 127\.0\.0\.1:\d+ accepts no messages: low on memory$/,
  },
];

let broker: RabbitmqNode;
let services: PublishingService[] = [];
let endOutage: (() => Promise<void> | void) | undefined;

beforeAll(async () => {
  broker = await RabbitmqNode.start();
  services = [await PublishingService.standalone(broker), await PublishingService.scaled(broker)];
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.dispose()));
  await broker?.dispose();
});
// A failed test must not affect the others.
afterEach(async () => {
  await endOutage?.();
  endOutage = undefined;
});

async function begin({ begin: beginOutage, end }: Pick<Outage, 'begin' | 'end'>): Promise<void> {
  endOutage = end;
  await beginOutage();
}

async function end(): Promise<void> {
  const ending = endOutage;
  endOutage = undefined;
  await ending?.();
}

const ofAll = (work: (service: PublishingService) => Promise<void>) => Promise.all(services.map(work));

it('a broker that is down at the first start later receives every event, from the first account on', async () => {
  // Stopped cleanly: a node that is killed just after the first declarations may lose a stream.
  await begin({ begin: () => broker.stop(), end: () => broker.restart() });
  await ofAll(async (service) => {
    await service.startWithoutBroker();
    await expectNormal(service);
    await expectReadiness(service, UNAVAILABLE);
  });
  await end();
  await ofAll(expectAllReceived);
});

it.each(outages)(
  'while the broker $state, every command works, services stop and start, and it receives all events later',
  async (outage) => {
    const inFlight = ofAll(expectNormal);
    await begin(outage);
    await inFlight;
    await ofAll(async (service) => {
      const before = service.received;
      await expectNormal(service);
      // A broker without memory still accepts what was sent just before it blocks.
      expect(service.received - before, `${service.name}, although the broker is unavailable`).toBeLessThan(A_FEW);
      await expectReadiness(service, outage.workerSays);
      await expectStopped(service);
      await service.startWithoutBroker();
      await expectReadiness(service, outage.workerSays);
    });
    await end();
    await ofAll(expectAllReceived);
  },
);

async function expectNormal(service: PublishingService): Promise<void> {
  for (const { command, outcome, took } of await everyCommand(service.client)) {
    expect(outcome, `${service.name}: ${command}`).toBe('200 success');
    expect(took, `${service.name}: ${command}`).toBeLessThan(LONGEST_COMMAND);
  }
}

/** Checks that the API is ready whatever the state of the broker, and that a worker reports that state. */
async function expectReadiness({ name, api, worker }: PublishingService, workerSays: RegExp): Promise<void> {
  expect(await api.readiness(), name).toMatchObject({ code: 200, status: 'ready' });
  if (!worker) return;
  const checks = async () => (await worker.readiness())?.checks;
  const expected = { store: 'ok', projector: 'ok', rabbitmq: expect.stringMatching(workerSays) };
  await expect.poll(checks, { timeout: NOTICE, message: name }).toMatchObject(expected);
}

async function expectStopped(service: PublishingService): Promise<void> {
  const began = performance.now();
  const statuses = await service.stop();
  expect(new Set(statuses), `${service.name}: ${service.output()}`).toEqual(new Set([0]));
  expect(performance.now() - began, service.name).toBeLessThan(LONGEST_STOP);
}

async function expectAllReceived(service: PublishingService): Promise<void> {
  await expect.poll(() => service.areAllReady(), { timeout: RECOVERY }).toBe(true);
  const before = service.received;
  await expectNormal(service);
  expect(await service.violations(), `${service.name}: ${service.output()}`).toEqual([]);
  expect(service.received).toBeGreaterThan(before);
}
