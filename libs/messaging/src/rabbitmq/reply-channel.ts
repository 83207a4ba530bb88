import type { Channel, Options } from 'amqplib';
import type { BrokerConnection } from './broker-connection.js';
import { closeChannel } from './close-channel.js';

/** Milliseconds that a reply waits for the connection to come back. */
const RECONNECT_TIMEOUT = 2_000;

/** Sends replies without publisher confirms: if a reply is lost, the requester asks again. */
export class ReplyChannel {
  #channel: Promise<Channel> | undefined;

  /**
   * `connection` must not be used for anything else. RabbitMQ (observed with 3.10) closes the whole connection when a reply goes to a forged
   * address, so a sender of forged addresses can only disturb other questions.
   */
  constructor(private readonly connection: BrokerConnection) {}

  /**
   * Resolves once the reply was handed to the connection.
   *
   * @throws BrokerUnavailable
   */
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
    const late = setTimeout(resolve, RECONNECT_TIMEOUT);
    await promise;
    clearTimeout(late);
    end();
  }
}
