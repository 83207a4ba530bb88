import { REPLAY_HEADER } from '@keyfold/messaging';
import { BrokerConnection } from '@keyfold/messaging/rabbitmq';
import type { Channel, ConsumeMessage } from 'amqplib';

const PREFETCH = 200;
const RETRY_MS = 100;

/** A subscriber that consumes a queue throughout broker faults and records the events that it receives. */
export class EventListener {
  /** Ids by account, in the order of their first arrival. */
  readonly firstSeen = new Map<string, string[]>();
  /** The number of distinct events. */
  received = 0;
  /** Events that were published again. */
  repeated = 0;
  /** Deliveries that the broker repeated because the acknowledgement did not arrive. */
  redelivered = 0;
  /** Messages that are marked as a replay. */
  replayed = 0;
  readonly #seen = new Set<string>();
  readonly #supervising: NodeJS.Timeout;
  #channel: Channel | undefined;
  #opening = false;

  private constructor(
    private readonly connection: BrokerConnection,
    private readonly queue: string,
  ) {
    this.#supervising = setInterval(() => void this.#listen(), RETRY_MS);
  }

  /** Starts to consume. The queue may be declared later. */
  static async open(url: string, queue: string): Promise<EventListener> {
    return new EventListener(await BrokerConnection.open(url, { role: 'consumer' }), queue);
  }

  async close(): Promise<void> {
    clearInterval(this.#supervising);
    await this.connection.close();
  }

  async #listen(): Promise<void> {
    if (this.#channel || this.#opening || this.connection.state === 'disconnected') return;
    this.#opening = true;
    try {
      const channel = await this.connection.channel();
      this.#channel = channel;
      channel.on('close', () => (this.#channel = this.#channel === channel ? undefined : this.#channel));
      await channel.prefetch(PREFETCH);
      await channel.consume(this.queue, (message) => {
        if (message) this.#receive(channel, message);
        else void channel.close().catch(() => undefined);
      });
    } catch {
      this.#channel = undefined;
    } finally {
      this.#opening = false;
    }
  }

  #receive(channel: Channel, message: ConsumeMessage): void {
    const { messageId, headers = {} } = message.properties;
    const id = String(messageId);
    if (headers[REPLAY_HEADER] !== undefined) this.replayed += 1;
    if (message.fields.redelivered && this.#seen.has(id)) this.redelivered += 1;
    else if (this.#seen.has(id)) this.repeated += 1;
    else this.#note(id, String(headers['cloudEvents_partitionkey']));
    try {
      channel.ack(message);
    } catch {
      // The channel has just closed; a new one follows.
    }
  }

  #note(id: string, account: string): void {
    this.#seen.add(id);
    this.received += 1;
    const ids = this.firstSeen.get(account);
    if (ids) ids.push(id);
    else this.firstSeen.set(account, [id]);
  }
}

/**
 * Compares the received events with the expected ones: lost events, unknown events, and accounts with a different
 * order.
 */
export function differences(expected: ReadonlyMap<string, readonly string[]>, { firstSeen }: EventListener) {
  const ids = (of: ReadonlyMap<string, readonly string[]>) => [...of.values()].flat();
  const received = new Set(ids(firstSeen));
  const known = new Set(ids(expected));
  const inOrder = (account: string) => (expected.get(account) ?? []).filter((id) => received.has(id)).join();
  return {
    lost: ids(expected).filter((id) => !received.has(id)),
    strange: [...received].filter((id) => !known.has(id)),
    outOfOrder: [...firstSeen]
      .filter(([account, seen]) => seen.join() !== inOrder(account))
      .map(([account]) => account),
  };
}
