import { connect, type Channel, type ChannelModel, type GetMessage, type Options } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freshBroker, type FreshBroker } from '../../../test/support/rabbitmq/fresh-broker.js';
import { COMMANDS, QUESTIONS } from '../src/consuming/transport-ids.js';
import type { MessageContext } from '../src/consuming/message-context.js';
import { BrokerConnection } from '../src/rabbitmq/broker-connection.js';
import { QueueTransport, type QueueTransportOptions } from '../src/rabbitmq/queue-transport.js';
import { ReplyChannel } from '../src/rabbitmq/reply-channel.js';
import { ReplyProcessor } from '../src/rabbitmq/reply-processor.js';
import { MessageCopies } from '../src/rabbitmq/message-copies.js';
import { RetryProcessor } from '../src/rabbitmq/retry-processor.js';

export type Handler = (data: unknown, context: MessageContext) => unknown;
type Handlers = Readonly<Record<string, Handler>>;

/** Milliseconds; the real one is ten seconds. */
const RETRY_DELAY = 50;
const LONGEST_WAIT = 20_000;

/** Waits for a condition and says what was last seen when it does not come. */
export async function until<Seen>(look: () => Promise<Seen> | Seen, isIt: (seen: Seen) => boolean): Promise<Seen> {
  const end = performance.now() + LONGEST_WAIT;
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    if (performance.now() > end) throw new Error(`did not come; last seen: ${JSON.stringify(seen)}`);
    await sleep(20);
  }
}

/** The queues of commands and of questions in a virtual host of their own, and transports that consume them. */
export class ConsumedQueues {
  /** What was told about failures and ignored questions. */
  readonly told: unknown[] = [];

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
    // A connection is made after `open` has answered: a test that counts reconnects must not count the first connect.
    for (const connection of [consuming, publishing, answering]) {
      await until(
        () => connection.state,
        (state) => state === 'connected',
      );
    }
    await queues.declare();
    return queues;
  }

  /** As the product declares them, but for the delay. */
  async declare(): Promise<void> {
    const quorum = { 'x-queue-type': 'quorum' };
    const movesTo = (queue: string) => ({
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': queue,
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
    });
    await this.channel.assertQueue('parked', { arguments: quorum });
    await this.channel.assertQueue('commands', {
      arguments: { ...quorum, 'x-delivery-limit': 10, ...movesTo('parked') },
    });
    await this.channel.assertQueue('retry', {
      arguments: { ...quorum, 'x-message-ttl': RETRY_DELAY, ...movesTo('commands') },
    });
    await this.channel.assertQueue('questions', { arguments: { 'x-queue-type': 'classic' } });
  }

  /** Consumes the commands until the test is over. */
  consumeCommands(handlers: Handlers, options: Partial<QueueTransportOptions> = {}): QueueTransport {
    const process = new RetryProcessor(new MessageCopies(this.publishing, (problem) => this.told.push(problem)), {
      retryQueue: 'retry',
      parkedQueue: 'parked',
      onFailure: (told) => this.told.push(told),
    });
    const given = { queue: 'commands', transportId: COMMANDS, prefetch: 20, ...options };
    return listening(new QueueTransport(this.consuming, process, given), handlers, true);
  }

  answerQuestions(handlers: Handlers, options: Partial<QueueTransportOptions> = {}): QueueTransport {
    const process = new ReplyProcessor(new ReplyChannel(this.answering), {
      onIgnored: (told) => this.told.push(told),
      onFailure: (told) => this.told.push(told),
    });
    const given = { queue: 'questions', transportId: QUESTIONS, prefetch: 10, ...options };
    return listening(new QueueTransport(this.consuming, process, given), handlers, false);
  }

  /** Sends a command of the type `work` unless told otherwise, and answers its id. */
  send(data: unknown, options: Options.Publish = {}): string {
    return this.sendBytes(Buffer.from(JSON.stringify(data)), options);
  }

  sendBytes(body: Buffer, options: Options.Publish = {}): string {
    const messageId = randomUUID();
    const known = { messageId, type: 'work', contentType: 'application/json', persistent: true };
    this.channel.sendToQueue('commands', body, { ...known, ...options });
    return messageId;
  }

  /** Asks a question and waits for the answer. */
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

  /** Asks again as long as nobody answers. */
  async askUntilAnswered(body: Buffer): Promise<Record<string, unknown>> {
    const asked = () => Promise.race([this.ask(body), sleep(500)]);
    return (await until(asked, (answer) => answer !== undefined))!;
  }

  /** Takes the next message of a queue once it is there. */
  async take(queue: string): Promise<GetMessage> {
    const message = await until(
      () => this.channel.get(queue, { noAck: true }),
      (seen) => seen !== false,
    );
    return message as GetMessage;
  }

  /** Messages of a queue that wait for a consumer. */
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
