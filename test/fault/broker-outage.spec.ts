import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { everyCommand } from './every-command.js';
import { PublishingService } from './publishing-service.js';

/** How long any command may take, with a broker or without, on a busy machine. */
const LONGEST_COMMAND = 5_000;
/** Until a worker notices that a broker hangs, which it asks for a sign of life every other second, and until it is back. */
const NOTICE = 20_000;
/** Until everything works again after an outage: a worker asks for the broker, and follows the feed, in steps of seconds. */
const RECOVERY = 90_000;
/** What a process may take to end: it says goodbye to a broker that may not listen. */
const LONGEST_STOP = 12_000;
/** Less than the events of one account's life. */
const A_FEW = 10;

type Outage = Readonly<{
  begin: () => Promise<void> | void;
  end: () => Promise<void> | void;
  /** What a worker's readiness says of the broker; a broker that takes no messages is there. */
  workerSays: RegExp;
}>;
const outages: Record<string, Outage> = {
  'was killed': {
    begin: () => broker.kill(),
    end: () => broker.restart(),
    workerSays: /^RabbitMQ at 127\.0\.0\.1:\d+ is unavailable/,
  },
  'hangs with its connections open': {
    begin: () => broker.freeze(),
    end: () => broker.thaw(),
    workerSays: /^RabbitMQ at 127\.0\.0\.1:\d+ is unavailable/,
  },
  'has no memory left': {
    begin: () => broker.memoryAlarm(true),
    end: () => broker.memoryAlarm(false),
    workerSays: /^ok, but RabbitMQ at 127\.0\.0\.1:\d+ accepts no messages: low on memory$/,
  },
};

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
// A test that failed leaves the broker to the others.
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

it('a broker that is away at the first start hears everything later, from the first account on', async () => {
  await begin({ begin: () => broker.stop(), end: () => broker.restart() });
  await ofAll(async (service) => {
    await service.startWithoutBroker();
    await expectNormal(service);
    await expectReadiness(service, outages['was killed']!.workerSays);
  });
  await end();
  await ofAll(expectEverythingHeard);
});

it.each(Object.keys(outages))(
  'while the broker %s, every command works, and it hears all of it later',
  async (name) => {
    const outage = outages[name]!;
    const underWay = ofAll(expectNormal);
    await begin(outage);
    await underWay;
    await ofAll(async (service) => {
      await expectNormal(service);
      const heard = service.heard;
      await expectNormal(service);
      expectSilence(service, heard);
      await expectReadiness(service, outage.workerSays);
      await expectStopped(service);
      await service.startWithoutBroker();
      await expectNormal(service);
      expect(service.heard).toBe(heard);
      await expectReadiness(service, outage.workerSays);
    });
    await end();
    await ofAll(expectEverythingHeard);
  },
);

async function expectNormal(service: PublishingService): Promise<void> {
  for (const { command, outcome, took } of await everyCommand(service.client)) {
    expect(outcome, `${service.name}: ${command}`).toBe('200 success');
    expect(took, `${service.name}: ${command}`).toBeLessThan(LONGEST_COMMAND);
  }
}

/** What serves the API is ready, whatever the broker does; a worker tells how it is. */
async function expectReadiness({ name, api, worker }: PublishingService, workerSays: RegExp): Promise<void> {
  expect(await api.readiness(), name).toMatchObject({ code: 200, status: 'ready' });
  if (!worker) return;
  const said = async () => (await worker.readiness())?.checks['rabbitmq'];
  await expect.poll(said, { timeout: NOTICE }).toMatch(workerSays);
  expect((await worker.readiness())?.checks, name).toMatchObject({ store: 'ok', projector: 'ok' });
}

/** A broker without memory takes what a connection has just sent before it stops that. */
function expectSilence({ name, heard }: PublishingService, before: number): void {
  expect(heard - before, `${name}, although the broker is not there`).toBeLessThan(A_FEW);
}

async function expectStopped(service: PublishingService): Promise<void> {
  const began = performance.now();
  const statuses = await service.stop();
  expect(new Set(statuses), `${service.name}: ${service.output()}`).toEqual(new Set([0]));
  expect(performance.now() - began, service.name).toBeLessThan(LONGEST_STOP);
}

async function expectEverythingHeard(service: PublishingService): Promise<void> {
  await expect.poll(() => service.areAllReady(), { timeout: RECOVERY }).toBe(true);
  const before = service.heard;
  await expectNormal(service);
  expect(await service.violations(), `${service.name}: ${service.output()}`).toEqual([]);
  expect(service.heard).toBeGreaterThan(before);
}
