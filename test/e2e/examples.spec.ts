import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventRun, type EventRun, type Publication } from '../support/examples/event-run.js';
import { ExampleProcess } from '../support/examples/example-process.js';
import { exampleNames, exampleProgram, type ExampleProgram } from '../support/examples/example-programs.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const QUEUE = 'sftp.keyfold-events';
/** The first build of the Go example compiles SQLite. */
const BUILD_MS = 600_000;
/** After the broker has stopped, a connection may never confirm that it is closed. */
const CLOSE_MS = 2_000;
const POLL = { timeout: 40_000, interval: 20 };

const programs = new Map<string, ExampleProgram>();

beforeAll(async () => {
  for (const name of exampleNames) programs.set(name, await exampleProgram(name));
}, BUILD_MS);

describe.each(exampleNames)('the example %s', (name) => {
  it('applies every event once and in order, even if it is killed or disconnected', async () => {
    const broker = await freshBroker();
    const proxy = await TcpProxy.start(Number(new URL(broker.url).port));
    onTestFinished(() => proxy.close());
    const events = await Exchange.at(broker.url);
    const example = await start(name, { KEYFOLD_RABBITMQ_URL: proxy.through(broker.url) });
    await events.untilConsumed();

    const run = eventRun(600);
    const parts = 6;
    for (let part = 0; part < parts; part++) {
      const size = Math.ceil(run.publications.length / parts);
      const published = events.publish(run.publications.slice(part * size, (part + 1) * size));
      const before = example.history.length;
      await expect.poll(() => example.history.length, POLL).toBeGreaterThan(before + 10);
      if (part % 2 === 0) proxy.resetConnections();
      else await example.kill();
      if (part % 2 === 1) example.restart();
      await published;
    }
    await expectApplied(example, run);
    expect(example.output).toContain('rejected a message');
    expect(await example.stop()).toBe(0);
  });

  it('stops on SIGTERM between two messages and continues after a restart', async () => {
    const broker = await freshBroker();
    const events = await Exchange.at(broker.url);
    const example = await start(name, { KEYFOLD_RABBITMQ_URL: broker.url });
    await events.untilConsumed();
    const run = eventRun(300, 2);
    const published = events.publish(run.publications);
    await expect.poll(() => example.history.length, POLL).toBeGreaterThan(20);
    expect(await example.stop()).toBe(0);
    await published;
    const applied = example.history;
    expect(applied).toEqual(run.history.slice(0, applied.length));
    example.restart();
    await expectApplied(example, run);
    const linesFor = (id: string) => example.output.split(`applied ${id} `).length - 1;
    // An event is stored shortly before its line arrives here.
    await expect.poll(() => run.history.filter((id) => linesFor(id) !== 1), POLL).toEqual([]);
  });

  it('waits for the exchange and recovers when its queue is deleted', async () => {
    const broker = await freshBroker();
    const example = await start(name, { KEYFOLD_RABBITMQ_URL: broker.url });
    await expect.poll(() => example.output, POLL).toMatch(/404|NOT_FOUND/);
    const events = await Exchange.at(broker.url);
    const run = eventRun(20, 3);
    for (const half of [run.publications.slice(0, 10), run.publications.slice(10)]) {
      await events.untilConsumed();
      await events.publish(half);
      const last = half.findLast(({ malformed }) => !malformed)?.message.id;
      await expect.poll(() => example.history, POLL).toContain(last);
      await events.channel.deleteQueue(QUEUE);
    }
    expect(example.history).toEqual(run.history);
  });
});

it('every example continues after the broker was stopped and restarted', async () => {
  const node = await RabbitmqNode.start();
  onTestFinished(() => node.dispose());
  const before = await Exchange.at(node.url);
  const queueOf = (name: string) => `${name}.events`;
  const examples = await Promise.all(
    exampleNames.map((name) => start(name, { KEYFOLD_RABBITMQ_URL: node.url, KEYFOLD_QUEUE: queueOf(name) })),
  );
  for (const name of exampleNames) await before.untilConsumed(queueOf(name));
  const run = eventRun(100, 4);
  const middle = run.publications.length / 2;
  await before.publish(run.publications.slice(0, middle));
  await node.stop();
  await node.restart();
  const after = await Exchange.at(node.url);
  for (const name of exampleNames) await after.untilConsumed(queueOf(name));
  await after.publish(run.publications.slice(middle));
  for (const example of examples) await expectApplied(example, run);
});

function start(name: string, settings: Readonly<Record<string, string>>): Promise<ExampleProcess> {
  const program = programs.get(name);
  if (!program) throw new Error(`${name} was not built`);
  return ExampleProcess.start(program, { KEYFOLD_QUEUE: QUEUE, ...settings }).then((example) => {
    onTestFinished(() => example.dispose());
    return example;
  });
}

/** Publishes like Keyfold, to an exchange declared like Keyfold's. */
class Exchange {
  private constructor(
    private readonly model: ChannelModel,
    readonly channel: ConfirmChannel,
  ) {}

  static async at(url: string): Promise<Exchange> {
    const model = await connect(url);
    model.on('error', () => undefined);
    onTestFinished(async () => {
      const closed = model.close().catch(() => undefined);
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
    });
    const channel = await model.createConfirmChannel();
    await channel.assertExchange('keyfold.events', 'topic', { durable: true });
    return new Exchange(model, channel);
  }

  async publish(publications: readonly Publication[]): Promise<void> {
    for (const { message } of publications) {
      const { id, type, at, headers, body } = message;
      const timestamp = Math.floor(at / 1_000);
      const said = { persistent: true, messageId: id, type, contentType: 'application/json', timestamp, headers };
      this.channel.publish('keyfold.events', type, body, said);
      // Slow enough that faults happen in the middle.
      await sleep(1);
    }
    await this.channel.waitForConfirms();
  }

  /** Waits until the queue has a consumer; it is bound by then. */
  async untilConsumed(queue = QUEUE): Promise<void> {
    await expect.poll(() => this.#consumersOf(queue), POLL).toBe(1);
  }

  /** Uses a separate channel, because a missing queue closes it. */
  async #consumersOf(queue: string): Promise<number> {
    const channel = await this.model.createChannel();
    channel.on('error', () => undefined);
    try {
      const { consumerCount } = await channel.checkQueue(queue);
      await channel.close();
      return consumerCount;
    } catch {
      return 0;
    }
  }
}

async function expectApplied(example: ExampleProcess, run: EventRun): Promise<void> {
  await expect
    .poll(() => example.history.length, { ...POLL, message: example.output.slice(-2_000) })
    .toBeGreaterThanOrEqual(run.history.length);
  expect(example.history).toEqual(run.history);
  const keys = example.rows<{ id: number; account: number }>('SELECT id, account FROM keys ORDER BY id');
  expect(keys.map(({ id, account }) => [id, account])).toEqual([...run.keys]);
  const disabled = example.rows<{ account: number }>('SELECT account FROM disabled ORDER BY account');
  expect(disabled.map(({ account }) => account)).toEqual([...run.disabled].toSorted((one, other) => one - other));
}
