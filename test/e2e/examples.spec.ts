import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventRun, type EventRun, type Publication } from '../support/examples/event-run.js';
import { ExampleProcess } from '../support/examples/example-process.js';
import { exampleNames, exampleProgram, type ExampleProgram } from '../support/examples/example-programs.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** After the broker has stopped, a connection may never confirm that it is closed. */
const CLOSE_MS = 2_000;
const POLL = { timeout: 60_000, interval: 20 };
const queueOf = (name: string) => `${name}.events`;

const programs: ExampleProgram[] = [];

beforeAll(async () => {
  programs.push(...(await Promise.all(exampleNames.map(exampleProgram))));
});

// The examples run at the same time, each with its own queue, because they mostly wait.
describe('each example', () => {
  it('applies every event once and in order, even if it is killed or disconnected', async () => {
    const broker = await freshBroker();
    const proxies = await Promise.all(programs.map(() => TcpProxy.start(Number(new URL(broker.url).port))));
    onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));
    const events = await Exchange.at(broker.url);
    const examples = await startAll((index) => proxies[index]!.through(broker.url));
    await events.untilConsumed();

    const run = eventRun(600);
    const parts = 6;
    for (let part = 0; part < parts; part++) {
      const size = Math.ceil(run.publications.length / parts);
      const published = events.publish(run.publications.slice(part * size, (part + 1) * size));
      await forEach(examples, async (example, index) => {
        const before = example.history.length;
        await expect.poll(() => example.history.length, POLL).toBeGreaterThan(before + 10);
        if (part % 2 === 0) return proxies[index]!.resetConnections();
        await example.kill();
        example.restart();
      });
      await published;
    }
    await forEach(examples, async (example) => {
      await expectApplied(example, run);
      expect(example.output).toContain('rejected a message');
      expect(await example.stop(), example.output).toBe(0);
    });
  });

  it('stops on SIGTERM between two messages and continues after a restart', async () => {
    const broker = await freshBroker();
    const events = await Exchange.at(broker.url);
    const examples = await startAll(() => broker.url);
    await events.untilConsumed();
    const run = eventRun(300, 2);
    const published = events.publish(run.publications);
    await forEach(examples, async (example) => {
      await expect.poll(() => example.history.length, POLL).toBeGreaterThan(20);
      expect(await example.stop(), example.output).toBe(0);
      const applied = example.history;
      expect(applied).toEqual(run.history.slice(0, applied.length));
      await published;
      example.restart();
      await expectApplied(example, run);
      const linesFor = (id: string) => example.output.split(`applied ${id} `).length - 1;
      // An event is stored shortly before its line arrives here.
      await expect.poll(() => run.history.filter((id) => linesFor(id) !== 1), POLL).toEqual([]);
    });
  });

  it('waits for the exchange and recovers when its queue is deleted', async () => {
    const broker = await freshBroker();
    const examples = await startAll(() => broker.url);
    for (const example of examples) await expect.poll(() => example.output, POLL).toMatch(/404|NOT_FOUND/);
    const events = await Exchange.at(broker.url);
    const run = eventRun(20, 3);
    for (const half of [run.publications.slice(0, 10), run.publications.slice(10)]) {
      await events.untilConsumed();
      await events.publish(half);
      const last = half.findLast(({ malformed }) => !malformed)?.message.id;
      for (const example of examples) await expect.poll(() => example.history, POLL).toContain(last);
      for (const name of exampleNames) await events.channel.deleteQueue(queueOf(name));
    }
    for (const example of examples) expect(example.history).toEqual(run.history);
  });

  it('continues after the broker was stopped and restarted', async () => {
    const node = await RabbitmqNode.start();
    onTestFinished(() => node.dispose());
    const before = await Exchange.at(node.url);
    const examples = await startAll(() => node.url);
    await before.untilConsumed();
    const run = eventRun(100, 4);
    const middle = run.publications.length / 2;
    await before.publish(run.publications.slice(0, middle));
    await node.stop();
    await node.restart();
    const after = await Exchange.at(node.url);
    await after.untilConsumed();
    await after.publish(run.publications.slice(middle));
    await forEach(examples, (example) => expectApplied(example, run));
  });
});

const startAll = (urlOf: (index: number) => string) =>
  Promise.all(
    programs.map(async (program, index) => {
      const env = { KEYFOLD_RABBITMQ_URL: urlOf(index), KEYFOLD_QUEUE: queueOf(program.name) };
      const example = await ExampleProcess.start(program, env);
      onTestFinished(() => example.dispose());
      return example;
    }),
  );

const forEach = (
  examples: readonly ExampleProcess[],
  task: (example: ExampleProcess, index: number) => Promise<void>,
) => Promise.all(examples.map(task));

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

  /** Waits until each example consumes its queue, which is bound by then. */
  async untilConsumed(): Promise<void> {
    for (const name of exampleNames) await expect.poll(() => this.#consumersOf(queueOf(name)), POLL).toBe(1);
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
