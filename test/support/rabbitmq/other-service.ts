import { connect, type Channel, type ChannelModel, type ConsumeMessage, type GetMessage } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT = 30_000;
const REPLY_TIMEOUT = 2_000;

/** A service that knows Keyfold by its documentation only: it receives events, sends commands and asks questions. */
export class OtherService {
  readonly events: ConsumeMessage[] = [];

  private constructor(
    private readonly connection: ChannelModel,
    private readonly channel: Channel,
  ) {}

  /** Waits for Keyfold's exchange and binds a new queue to it. */
  static async connect(url: string): Promise<OtherService> {
    const connection = await connect(url);
    connection.on('error', () => undefined);
    await until(async () => hasExchange(connection));
    const channel = await connection.createChannel();
    const service = new OtherService(connection, channel);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, 'keyfold.events', '#');
    await channel.consume(queue, (message) => void (message && service.events.push(message)), { noAck: true });
    return service;
  }

  /** Returns the data of the next matching event of this type. */
  async event(type: string, fits: (data: Record<string, unknown>) => boolean = () => true) {
    return until(() =>
      this.events
        .filter((event) => event.properties.type === type)
        .map(dataOf)
        .find(fits),
    );
  }

  /** Sends a command and returns its id. */
  command(type: string, data: object, messageId: string = randomUUID(), headers: Record<string, string> = {}): string {
    const options = { type, messageId, headers, contentType: 'application/json', persistent: true };
    this.channel.publish('keyfold.commands', type, Buffer.from(JSON.stringify(data)), options);
    return messageId;
  }

  /** Asks until an answer arrives. */
  async ask(type: string, data: object): Promise<unknown> {
    return until(() => this.#askOnce(type, data));
  }

  /** Binds a new stream to one type of events. */
  async bindStream(queue: string, type: string): Promise<void> {
    await this.channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'stream' } });
    await this.channel.bindQueue(queue, 'keyfold.events', type);
  }

  /** Takes the next parked command. */
  async parked(): Promise<GetMessage> {
    return until(async () => (await this.channel.get('keyfold.commands.parked', { noAck: true })) || undefined);
  }

  /** Returns the number of waiting messages in a queue. */
  async waiting(queue: string): Promise<number> {
    return (await this.channel.checkQueue(queue)).messageCount;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  async #askOnce(type: string, data: object): Promise<unknown> {
    const channel = await this.connection.createChannel();
    const answered = Promise.withResolvers<unknown>();
    const onReply = (message: ConsumeMessage | null) => message && answered.resolve(dataOf(message));
    await channel.consume('amq.rabbitmq.reply-to', onReply, { noAck: true });
    channel.publish('keyfold.rpc', 'ssh-keys.look-up', Buffer.from(JSON.stringify(data)), {
      type,
      replyTo: 'amq.rabbitmq.reply-to',
      correlationId: '1',
      contentType: 'application/json',
      expiration: String(REPLY_TIMEOUT),
    });
    const answer = await Promise.race([answered.promise, sleep(REPLY_TIMEOUT)]);
    await channel.close();
    return answer;
  }
}

const dataOf = ({ content }: ConsumeMessage) => JSON.parse(content.toString()) as Record<string, unknown>;

/** Checks for the exchange on a separate channel, because a missing exchange closes the channel. */
async function hasExchange(connection: ChannelModel): Promise<true | undefined> {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    await channel.checkExchange('keyfold.events');
    await channel.close();
    return true;
  } catch {
    return undefined;
  }
}

/** Polls until there is a value. Throws after a timeout. */
export async function until<Value>(probe: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  const end = performance.now() + TIMEOUT;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > end) throw new Error('timed out waiting for a condition');
    await sleep(25);
  }
}
