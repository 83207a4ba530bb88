import type { ConfirmChannel, Options } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerUnavailable, MessageRefused } from '../messaging.errors.js';
import type { BrokerConnection } from './broker-connection.js';
import { closeChannel } from './close-channel.js';

/** How long the broker may take to confirm while it is not blocked (milliseconds). */
const CONFIRM_TIME = 10_000;
/** Milliseconds between two tries; doubled from the first to the last. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** Puts copies of messages into a queue, past every exchange, so that the messages themselves can be acknowledged. */
export class MessageCopies {
  #channel: ConfirmChannel | undefined;
  /** One at a time: so a message that the broker returns is the one at hand. */
  #line: Promise<unknown> = Promise.resolve();

  /** `connection` is one that publishes; `onProblem` hears of a queue that takes nothing. */
  constructor(
    private readonly connection: BrokerConnection,
    private readonly onProblem: (problem: string) => void,
  ) {}

  /**
   * Resolves once the broker has the copy on disk; tries again while it is away or refuses. Rejects when `signal` is aborted, and with
   * `TypeError` or `RangeError` when the properties cannot be written.
   */
  async put(queue: string, body: Buffer, options: Options.Publish, signal: AbortSignal): Promise<void> {
    let told = '';
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      signal.throwIfAborted();
      try {
        return await this.#inLine(() => this.#putOnce(queue, body, options));
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError) throw error;
        // Everything else is a channel that went away, or a queue that takes nothing.
        if (error instanceof MessageRefused && told !== error.message) this.onProblem((told = error.message));
      }
      await sleep(pause, undefined, { signal });
    }
  }

  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    if (channel) await closeChannel(channel);
  }

  #inLine<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#line.then(task);
    this.#line = result.catch(() => undefined);
    return result;
  }

  async #putOnce(queue: string, body: Buffer, options: Options.Publish): Promise<void> {
    if (this.connection.state === 'blocked') throw new BrokerUnavailable('RabbitMQ is blocked');
    const channel = await this.#open();
    const confirmed = Promise.withResolvers<void>();
    const onReturn = () => confirmed.reject(new MessageRefused(`there is no queue ${queue}`));
    const onClose = () => confirmed.reject(new BrokerUnavailable('the channel was closed'));
    channel.on('return', onReturn).on('close', onClose);
    const late = setTimeout(() => this.#giveUp(channel), CONFIRM_TIME);
    try {
      channel.sendToQueue(queue, body, { ...options, mandatory: true }, (error: unknown) => {
        if (error) confirmed.reject(new MessageRefused(`queue ${queue} takes nothing`));
        else confirmed.resolve();
      });
      await confirmed.promise;
    } catch (error) {
      // A channel that closed before anybody listened says so only now.
      if (!(error instanceof Error && error.name === 'IllegalOperationError')) throw error;
      this.#giveUp(channel);
      throw new BrokerUnavailable('the channel was closed', { cause: error });
    } finally {
      clearTimeout(late);
      channel.off('return', onReturn).off('close', onClose);
    }
  }

  async #open(): Promise<ConfirmChannel> {
    if (this.#channel) return this.#channel;
    const channel = await this.connection.confirmChannel();
    channel.on('close', () => {
      if (this.#channel === channel) this.#channel = undefined;
    });
    return (this.#channel = channel);
  }

  /** It is not known what became of the copy, so it is sent again on another channel. */
  #giveUp(channel: ConfirmChannel): void {
    if (this.#channel === channel) this.#channel = undefined;
    void closeChannel(channel);
  }
}
