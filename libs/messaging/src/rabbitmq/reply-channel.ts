import type { Channel, Options } from 'amqplib';
import type { BrokerConnection } from './broker-connection.js';
import { closeChannel } from './close-channel.js';

/** How long an answer waits for the connection to come back (milliseconds). */
const PATIENCE = 2_000;

/** Sends answers to those who wait for them; nobody confirms an answer, and one that is lost is asked for again. */
export class ReplyChannel {
  #channel: Promise<Channel> | undefined;

  /**
   * `connection` has nothing else to do: RabbitMQ (seen with 3.10) closes the whole connection of who answers an address that was made up, so
   * a stranger who makes up addresses must only hurt those who ask.
   */
  constructor(private readonly connection: BrokerConnection) {}

  /** Resolves once the answer was handed over. Throws `BrokerUnavailable`. */
  async send(replyTo: string, body: Buffer, options: Options.Publish): Promise<void> {
    if (this.connection.state === 'disconnected') await this.#reconnected();
    this.#channel ??= this.#open();
    const channel = await this.#channel;
    channel.sendToQueue(replyTo, body, options);
  }

  async close(): Promise<void> {
    const channel = await this.#channel?.catch(() => undefined);
    if (channel) await closeChannel(channel);
  }

  #open(): Promise<Channel> {
    const opening = this.connection.channel().then((channel) => {
      channel.on('close', () => this.#forget(opening));
      return channel;
    });
    opening.catch(() => this.#forget(opening));
    return opening;
  }

  #forget(channel: Promise<Channel>): void {
    if (this.#channel === channel) this.#channel = undefined;
  }

  async #reconnected(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = this.connection.onConnected(resolve);
    const late = setTimeout(resolve, PATIENCE);
    await promise;
    clearTimeout(late);
    end();
  }
}
