import { connect, type Channel, type ChannelModel, type GetMessage, type Options } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freshBroker, type FreshBroker } from '../../../test/support/rabbitmq/fresh-broker.js';
import { COMMANDS, QUESTIONS, type MessageContext } from '../src/consuming.js';
import { BrokerConnection } from '../src/rabbitmq/connection/broker-connection.js';
import { QueueTransport, type QueueTransportOptions } from '../src/rabbitmq/consuming/queue-transport.js';
import { ReplyChannel, ReplyProcessor } from '../src/rabbitmq/consuming/reply-processor.js';
import { RetryProcessor } from '../src/rabbitmq/consuming/retry-processor.js';
import { MessageCopies } from '../src/rabbitmq/publishing/message-copies.js';

export type Handler = (data: unknown, context: MessageContext) => unknown;
type Handlers = Readonly<Record<string, Handler>>;

/** Milliseconds; ten seconds in production. */
const RETRY_DELAY = 50;
const TIMEOUT = 20_000;

/** Waits until a polled value meets a condition. On a timeout, the error contains the last value. */
export async function until<Value>(
  poll: () => Promise<Value> | Value,
  isDone: (value: Value) => boolean,
): Promise<Value> {
  const end = performance.now() + TIMEOUT;
  for (;;) {
    const value = await poll();
    if (isDone(value)) return value;
    if (performance.now() > end) throw new Error(`timed out; last value: ${JSON.stringify(value)}`);
    await sleep(20);
  }
}

/** Command and question queues in a virtual host of their own, with transports that consume them. */
export class ConsumedQueues {
  /** Reported failures, ignored questions and problems. */
  readonly reported: unknown[] = [];

  private constructor(
    readonly broker: FreshBroker,
    readonly consuming: BrokerConnection,
    readonly publishing: BrokerConnection,
    readonly answering: BrokerConnection,
    readonly client: ChannelModel,
    readonly channel: Channel,
  ) {}

  static async open(): Promise<ConsumedQueues> {
    const broker = await freshBroker();
    const client = await connect(broker.url);
    client.on('error', () => undefined);
    const channel = await client.createChannel();
    channel.on('error', () => undefined);
    const consuming = await BrokerConnection.open(broker.url, { role: 'consumer' });
    const publishing = await BrokerConnection.open(broker.url, { role: 'publisher' });
    const answering = await BrokerConnection.open(broker.url, { role: 'publisher' });
    onTestFinished(() =>
      Promise.allSettled([client.close(), consuming.close(), publishing.close(), answering.close()]).then(
        () => undefined,
      ),
    );
    const queues = new ConsumedQueues(broker, consuming, publishing, answering, client, channel);
    // `open` does not wait for the connection, and tests that count reconnects must not count the first connect.
    for (const connection of [consuming, publishing, answering]) {
      await until(
        () => connection.state,
        (state) => state === 'connected',
      );
    }
    await queues.declare();
    return queues;
  }

  /** Declares the queues like the topology, but with a shorter retry delay. */
  async declare(): Promise<void> {
    const quorum = { 'x-queue-type': 'quorum' };
    const deadLettersTo = (queue: string) => ({
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': queue,
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
    });
    await this.channel.assertQueue('parked', { arguments: quorum });
    await this.channel.assertQueue('commands', {
      arguments: { ...quorum, 'x-delivery-limit': 10, ...deadLettersTo('parked') },
    });
    await this.channel.assertQueue('retry', {
      arguments: { ...quorum, 'x-message-ttl': RETRY_DELAY, ...deadLettersTo('commands') },
    });
    await this.channel.assertQueue('questions', { arguments: { 'x-queue-type': 'classic' } });
  }

  /** Consumes commands until the test ends. */
  consumeCommands(
    handlers: Handlers,
    options: Partial<QueueTransportOptions> = {},
    connection = this.consuming,
  ): QueueTransport {
    const process = new RetryProcessor(new MessageCopies(this.publishing, (problem) => this.reported.push(problem)), {
      retryQueue: 'retry',
      parkedQueue: 'parked',
      onFailure: (failed) => this.reported.push(failed),
    });
    const given = { queue: 'commands', transportId: COMMANDS, prefetch: 20, ...options };
    return listening(new QueueTransport(connection, process, given), handlers, true);
  }

  /** Answers questions until the test ends. */
  answerQuestions(handlers: Handlers, options: Partial<QueueTransportOptions> = {}): QueueTransport {
    const process = new ReplyProcessor(new ReplyChannel(this.answering), {
      onIgnored: (problem) => this.reported.push(problem),
      onFailure: (failed) => this.reported.push(failed),
    });
    const given = { queue: 'questions', transportId: QUESTIONS, prefetch: 10, ...options };
    return listening(new QueueTransport(this.consuming, process, given), handlers, false);
  }

  /** Sends a command, by default of type `work`. Returns its id. */
  send(data: unknown, options: Options.Publish = {}): string {
    return this.sendBytes(Buffer.from(JSON.stringify(data)), options);
  }

  /** Sends a command with any body. Returns its id. */
  sendBytes(body: Buffer, options: Options.Publish = {}): string {
    const messageId = randomUUID();
    const known = { messageId, type: 'work', contentType: 'application/json', persistent: true };
    this.channel.sendToQueue('commands', body, { ...known, ...options });
    return messageId;
  }

  /** Sends a question and waits for the reply. */
  async ask(body: Buffer, options: Options.Publish = {}): Promise<Record<string, unknown>> {
    const channel = await this.client.createChannel();
    const answered = Promise.withResolvers<Record<string, unknown>>();
    await channel.consume(
      'amq.rabbitmq.reply-to',
      (message) => answered.resolve(JSON.parse(message!.content.toString()) as Record<string, unknown>),
      { noAck: true },
    );
    const known = { type: 'ask', replyTo: 'amq.rabbitmq.reply-to', correlationId: '1' };
    channel.sendToQueue('questions', body, { ...known, ...options });
    const answer = await answered.promise;
    await channel.close();
    return answer;
  }

  /** Repeats a question until it is answered. */
  async askUntilAnswered(body: Buffer): Promise<Record<string, unknown>> {
    const asked = () => Promise.race([this.ask(body), sleep(500)]);
    return (await until(asked, (answer) => answer !== undefined))!;
  }

  /** Takes the next message of a queue, waiting for one. */
  async take(queue: string): Promise<GetMessage> {
    const message = await until(
      () => this.channel.get(queue, { noAck: true }),
      (seen) => seen !== false,
    );
    return message as GetMessage;
  }

  /** Returns the number of messages in a queue that wait for a consumer. */
  async ready(queue: string): Promise<number> {
    return (await this.channel.checkQueue(queue)).messageCount;
  }
}

function listening(transport: QueueTransport, handlers: Handlers, areEvents: boolean): QueueTransport {
  for (const [type, handler] of Object.entries(handlers))
    transport.addHandler(
      type,
      async (data: unknown, context: unknown) => handler(data, context as MessageContext),
      areEvents,
    );
  transport.listen(() => undefined);
  onTestFinished(() => transport.close());
  return transport;
}

export const outcomesOf = (transport: QueueTransport) => transport.queueStatus().outcomes;

/** Waits until this many messages have an outcome and none is in flight. */
export const settled = (transport: QueueTransport, count: number) =>
  until(
    () => transport.queueStatus(),
    ({ outcomes, inFlight }) => inFlight === 0 && Object.values(outcomes).reduce((sum, n) => sum + n, 0) === count,
  );
