import { BackOff } from '@keyfold/concurrency';
import type { Options } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerUnavailable, MessageRefused } from '../../publishing.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { ConfirmSender } from './confirm-sender.js';

/** Milliseconds before the second attempt; doubled for each further one, up to the maximum. */
const INITIAL_DELAY = 100;
const MAX_DELAY = 5_000;

/** Puts copies of messages directly into a queue, so that the originals can be acknowledged. */
export class MessageCopies {
  readonly #sender: ConfirmSender;

  /** `connection` must be one that publishes. `onProblem` is called when a queue takes no copies. */
  constructor(connection: BrokerConnection, onProblem: (problem: string) => void) {
    this.#sender = new ConfirmSender(connection, { onProblem });
  }

  /**
   * Resolves once the broker has the copy on disk. Retries with back-off while the broker is unavailable or refuses the copy.
   *
   * @throws UnsendableMessage the properties cannot be encoded
   * @throws the reason of `signal` once it is aborted
   */
  async put(queue: string, body: Buffer, properties: Options.Publish, signal: AbortSignal): Promise<void> {
    for (const backOff = new BackOff(INITIAL_DELAY, MAX_DELAY); ;) {
      signal.throwIfAborted();
      try {
        return await this.#sender.send({ exchange: '', routingKey: queue, body, properties });
      } catch (error) {
        if (!(error instanceof MessageRefused || error instanceof BrokerUnavailable)) throw error;
      }
      await sleep(backOff.next(), undefined, { signal });
    }
  }

  close(): Promise<void> {
    return this.#sender.close();
  }
}
