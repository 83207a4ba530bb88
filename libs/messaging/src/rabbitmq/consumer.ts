import { waitAtMost } from '@keyfold/concurrency';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { BrokerConnection } from './broker-connection.js';
import { channelProblemOf } from './channel-error.js';
import { Settlement } from './settlement.js';

/** Options of a consumer. */
export type ConsumerOptions = Readonly<{
  queue: string;
  /** Maximum number of unsettled deliveries. */
  prefetch: number;
  onDelivery(message: ConsumeMessage, settlement: Settlement): void;
}>;

/** Milliseconds to wait for an answer; the broker may be gone without closing the connection. */
const TIMEOUT = 1_000;

/** A consumer of one queue on a channel of its own, from `basic.consume` until the channel is closed. */
export class Consumer {
  readonly #ended = Promise.withResolvers<string>();
  readonly #lost = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #unsettled = 0;
  #hasEnded = false;
  #tag: string | undefined;

  private constructor(
    private readonly channel: Channel,
    private readonly options: ConsumerOptions,
  ) {
    channel.on('error', (error: Error) => {
      // The broker has already closed the channel. Closing it again would close the whole connection.
      this.#lost.abort();
      this.#end(channelProblemOf(error));
    });
    channel.on('close', () => {
      this.#lost.abort();
      this.#closed.resolve();
      this.#end('the channel was closed');
    });
  }

  /** Starts to consume. Rejects if the broker is unreachable or refuses, for example because the queue does not exist. */
  static async open(connection: BrokerConnection, options: ConsumerOptions): Promise<Consumer> {
    const channel = await connection.channel();
    const consumer = new Consumer(channel, options);
    try {
      await consumer.#start();
    } catch (error) {
      consumer.#end(channelProblemOf(error));
      throw error;
    }
    return consumer;
  }

  /** Resolves with the reason once deliveries have ended. Never rejects. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Stops deliveries. Messages that were already delivered can still be settled. */
  async cancel(): Promise<void> {
    if (this.#hasEnded) return;
    if (this.#tag !== undefined) await waitAtMost(TIMEOUT, this.channel.cancel(this.#tag));
    this.#end('the consumer was cancelled');
  }

  /** Waits until the channel is closed, which happens after the last delivery was settled. */
  async closed(): Promise<void> {
    await waitAtMost(TIMEOUT, this.#closed.promise);
  }

  async #start(): Promise<void> {
    const { queue, prefetch } = this.options;
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
      this.#closeWhenSettled();
    });
    this.options.onDelivery(message, settlement);
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    this.#ended.resolve(reason);
    this.#closeWhenSettled();
  }

  /** Deliveries can only be settled on the channel that they arrived on, so it stays open until all are. */
  #closeWhenSettled(): void {
    if (!this.#hasEnded || this.#unsettled > 0 || this.#lost.signal.aborted) return;
    this.#lost.abort();
    // Rejects if the channel was closed meanwhile.
    this.channel.close().catch(() => this.#closed.resolve());
  }
}
