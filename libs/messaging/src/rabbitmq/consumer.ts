import { reasonOf } from '@keyfold/event-store';
import type { Channel, ConsumeMessage } from 'amqplib';
import { waitAtMost } from '../wait-at-most.js';
import type { BrokerConnection } from './broker-connection.js';
import { Settlement } from './settlement.js';

/** Whose deliveries go where, and how many at a time. */
export type ConsumerOptions = Readonly<{
  queue: string;
  /** How many deliveries may be unsettled at a time. */
  prefetch: number;
  onDelivery(message: ConsumeMessage, settlement: Settlement): void;
}>;

/** How long the broker may take to answer (milliseconds); it may be gone without a word. */
const PATIENCE = 1_000;

/** One consumer on a channel of its own, from its beginning to its end. */
export class Consumer {
  readonly #ended = Promise.withResolvers<string>();
  readonly #lost = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #unsettled = 0;
  #over = false;
  #tag: string | undefined;

  private constructor(
    private readonly channel: Channel,
    private readonly options: ConsumerOptions,
  ) {
    channel.on('error', (error: Error) => {
      // The broker has closed it by now, and to close it once more would end the whole connection.
      this.#lost.abort();
      this.#end(reasonOf(error));
    });
    channel.on('close', () => {
      this.#lost.abort();
      this.#closed.resolve();
      this.#end('the channel was closed');
    });
  }

  /** Begins to consume. Rejects when the broker is away or refuses it, for instance because the queue is missing. */
  static async open(connection: BrokerConnection, options: ConsumerOptions): Promise<Consumer> {
    const channel = await connection.channel();
    const subscription = new Consumer(channel, options);
    try {
      await subscription.#begin();
    } catch (error) {
      subscription.#end(reasonOf(error));
      throw error;
    }
    return subscription;
  }

  /** Why there are no more deliveries; never rejects. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** No more deliveries; those that came can still be settled. */
  async cancel(): Promise<void> {
    if (this.#over) return;
    if (this.#tag !== undefined) await waitAtMost(PATIENCE, this.channel.cancel(this.#tag));
    this.#end('it was cancelled');
  }

  /** Waits until the channel is closed, which it is once its last delivery was settled. */
  async closed(): Promise<void> {
    await waitAtMost(PATIENCE, this.#closed.promise);
  }

  async #begin(): Promise<void> {
    const { queue, prefetch } = this.options;
    await this.channel.checkQueue(queue);
    await this.channel.prefetch(prefetch);
    const { consumerTag } = await this.channel.consume(queue, (message) => {
      if (message) this.#deliver(message);
      else this.#end('the broker cancelled the consumer');
    });
    this.#tag = consumerTag;
  }

  #deliver(message: ConsumeMessage): void {
    this.#unsettled += 1;
    const settlement = new Settlement(this.channel, message, this.#lost.signal, () => {
      this.#unsettled -= 1;
      this.#closeWhenDone();
    });
    this.options.onDelivery(message, settlement);
  }

  #end(reason: string): void {
    this.#over = true;
    this.#ended.resolve(reason);
    this.#closeWhenDone();
  }

  /** What was delivered can only be settled on the channel that it came on. */
  #closeWhenDone(): void {
    if (!this.#over || this.#unsettled > 0 || this.#lost.signal.aborted) return;
    this.#lost.abort();
    // Closing what was closed meanwhile throws.
    this.channel.close().catch(() => this.#closed.resolve());
  }
}
