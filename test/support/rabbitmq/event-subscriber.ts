import { connect, type ChannelModel, type ConsumeMessage } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';

/** What a message says of its event, and its data. */
export type SeenEvent = Readonly<{
  id: string;
  type: string;
  /** The account, or what else keeps its order. */
  partition: string;
  stream: string;
  version: number;
  data: Readonly<Record<string, unknown>>;
}>;

const PREFETCH = 500;
const RECONNECT_MS = 100;

/**
 * Another service that wants every event: a durable quorum queue, acknowledged by hand, and a connection that is made again whenever it
 * ends. It writes an event down before it acknowledges it, so that only what it never got can be missing.
 */
export class EventSubscriber {
  /** How many messages brought an event that was seen before, and how many of them the broker itself marked as delivered again. */
  duplicates = 0;
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

  /** Declares the queue and binds it to all events, for which Keyfold's topology must be there; nothing is missed from then on. */
  static async open(url: string, queue = 'every-event'): Promise<EventSubscriber> {
    const withHeartbeat = new URL(url);
    withHeartbeat.searchParams.set('heartbeat', '4');
    const subscriber = new EventSubscriber(withHeartbeat.toString(), queue);
    subscriber.#following = subscriber.#follow();
    await subscriber.#subscribed.promise;
    return subscriber;
  }

  /** How many events were seen. */
  get count(): number {
    return this.#ids.size;
  }

  /** What was seen since the last call, in the order in which it was first seen; a long run keeps no more than that. */
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
    // A broker that is away or frozen says no goodbye.
    await Promise.race([this.#connection?.close().catch(() => undefined), pause(1_000, undefined, { ref: false })]);
    await Promise.race([this.#following, pause(1_000, undefined, { ref: false })]);
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#consumeUntilClosed();
      } catch {
        // The broker is away, or went away meanwhile: it is asked again.
      }
      if (!this.#closed) await pause(RECONNECT_MS);
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
        // Without a message the consumer was cancelled: everything is made anew.
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
