import { connect, type ChannelModel, type ConsumeMessage } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';

/** An event as a subscriber received it. */
export type SeenEvent = Readonly<{
  id: string;
  type: string;
  /** Subscribers get the events of one partition in order. It is usually an account. */
  partition: string;
  stream: string;
  version: number;
  data: Readonly<Record<string, unknown>>;
}>;

const PREFETCH = 500;
const RECONNECT_MS = 100;

/**
 * Subscribes to every event with a durable quorum queue and manual acknowledgements. Reconnects whenever its connection
 * ends. It records each event before acknowledging it, so only events that never arrived can be missing.
 */
export class EventSubscriber {
  /** Number of messages whose event had been received before. */
  duplicates = 0;
  /** Number of messages that the broker marked as redelivered. It need not have delivered them before. */
  redelivered = 0;
  #events: SeenEvent[] = [];
  readonly #ids = new Set<string>();
  readonly #subscribed = Promise.withResolvers<void>();
  #connection: ChannelModel | undefined;
  #following: Promise<void> | undefined;
  #closed = false;

  private constructor(
    private readonly url: string,
    private readonly queue: string,
  ) {}

  /** Declares the queue and binds it to all events. From then on, none is missed. Keyfold's topology must exist. */
  static async open(url: string, queue = 'every-event'): Promise<EventSubscriber> {
    const withHeartbeat = new URL(url);
    withHeartbeat.searchParams.set('heartbeat', '4');
    const subscriber = new EventSubscriber(withHeartbeat.toString(), queue);
    subscriber.#following = subscriber.#follow();
    await subscriber.#subscribed.promise;
    return subscriber;
  }

  /** Returns the number of events seen. */
  get count(): number {
    return this.#ids.size;
  }

  /** Returns the events since the last call, in the order of their first arrival, and forgets them to save memory. */
  takeEvents(): SeenEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // A broker that is down or frozen does not answer a close.
    await Promise.race([this.#connection?.close().catch(() => undefined), sleep(1_000, undefined, { ref: false })]);
    await Promise.race([this.#following, sleep(1_000, undefined, { ref: false })]);
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#consumeUntilClosed();
      } catch {
        // The broker is or went down: retry.
      }
      if (!this.#closed) await sleep(RECONNECT_MS);
    }
  }

  async #consumeUntilClosed(): Promise<void> {
    const connection = await connect(this.url, { timeout: 5_000 });
    const ended = new Promise<void>((end) => connection.once('close', () => end()));
    connection.on('error', () => undefined);
    this.#connection = connection;
    try {
      const channel = await connection.createChannel();
      channel.on('error', () => undefined);
      channel.once('close', () => void connection.close().catch(() => undefined));
      await channel.assertQueue(this.queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
      await channel.bindQueue(this.queue, 'keyfold.events', '#');
      await channel.prefetch(PREFETCH);
      await channel.consume(this.queue, (message) => {
        // A null message means that the consumer was cancelled: start over.
        if (!message) return void connection.close().catch(() => undefined);
        this.#take(message);
        channel.ack(message);
      });
      this.#subscribed.resolve();
      await ended;
    } finally {
      await connection.close().catch(() => undefined);
    }
  }

  #take({ properties, fields, content }: ConsumeMessage): void {
    const headers = properties.headers ?? {};
    const id = String(properties.messageId);
    if (fields.redelivered) this.redelivered++;
    if (this.#ids.has(id)) {
      this.duplicates++;
      return;
    }
    this.#ids.add(id);
    this.#events.push({
      id,
      type: String(properties.type),
      partition: String(headers['cloudEvents_partitionkey']),
      stream: String(headers['cloudEvents_subject']),
      version: Number(headers['cloudEvents_streamversion']),
      data: JSON.parse(content.toString()) as Record<string, unknown>,
    });
  }
}
