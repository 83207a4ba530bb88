import { connect, type Channel, type ChannelModel, type ConsumeMessage, type GetMessage } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';

/** The source of a message: the event exchange, the event log, the parked commands or the answers to questions. */
export type TappedFrom = 'events' | 'log' | 'parked' | 'reply';
export type TappedMessage = Readonly<{ from: TappedFrom; message: ConsumeMessage | GetMessage }>;

const POLL_MS = 100;
const REPLY_MS = 20_000;

/** Receives everything that Keyfold publishes in a virtual host, and asks it questions. */
export class MessageTap {
  readonly tapped: TappedMessage[] = [];

  private constructor(
    private readonly connection: ChannelModel,
    private readonly channel: Channel,
  ) {}

  /** Starts to receive, then misses nothing. Keyfold's topology must exist. */
  static async open(url: string): Promise<MessageTap> {
    const connection = await connect(url);
    const channel = await connection.createChannel();
    const tap = new MessageTap(connection, channel);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, 'keyfold.events', '#');
    const taking = (from: TappedFrom) => (message: ConsumeMessage | null) =>
      void (message && tap.tapped.push({ from, message }));
    await channel.consume(queue, taking('events'), { noAck: true });
    await channel.consume('amq.rabbitmq.reply-to', taking('reply'), { noAck: true });
    await tap.#followLog();
    return tap;
  }

  /** Returns the messages of one source so far. */
  messagesFrom(from: TappedFrom): (ConsumeMessage | GetMessage)[] {
    return this.tapped.filter((each) => each.from === from).map(({ message }) => message);
  }

  command(type: string, data: object, messageId: string): void {
    const options = { type, messageId, contentType: 'application/json', persistent: true };
    this.channel.publish('keyfold.commands', type, Buffer.from(JSON.stringify(data)), options);
  }

  /** Asks a question and waits for the answer. */
  async ask(type: string, data: object, correlationId: string): Promise<Buffer> {
    const options = { type, correlationId, replyTo: 'amq.rabbitmq.reply-to', contentType: 'application/json' };
    this.channel.publish('keyfold.rpc', 'ssh-keys.look-up', Buffer.from(JSON.stringify(data)), options);
    const deadline = performance.now() + REPLY_MS;
    for (;;) {
      const answer = this.messagesFrom('reply').find(({ properties }) => properties.correlationId === correlationId);
      if (answer) return answer.content;
      if (performance.now() > deadline) throw new Error(`${type} ${correlationId} timed out`);
      await sleep(POLL_MS);
    }
  }

  /** Takes parked commands until there are `count` in total. */
  async untilParked(count: number): Promise<void> {
    const deadline = performance.now() + REPLY_MS;
    while (this.messagesFrom('parked').length < count) {
      if (performance.now() > deadline) throw new Error(`timed out waiting for ${count} parked commands`);
      const message = await this.channel.get('keyfold.commands.parked', { noAck: true });
      if (message) this.tapped.push({ from: 'parked', message });
      else await sleep(POLL_MS);
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** Consumes the log with acknowledgements, which streams require. */
  async #followLog(): Promise<void> {
    const channel = await this.connection.createChannel();
    await channel.prefetch(100);
    const take = (message: ConsumeMessage | null) => {
      if (!message) return;
      this.tapped.push({ from: 'log', message });
      channel.ack(message);
    };
    await channel.consume('keyfold.events.log', take, { arguments: { 'x-stream-offset': 'first' } });
  }
}
