import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { Relay } from '@keyfold/messaging';

const log = new Logger('Relay');

/** Runs the relay until the process ends: after the consumers have drained, and before connections and store close. */
export class RelayRunner implements OnApplicationShutdown {
  #started = false;
  #ended = false;

  constructor(private readonly relay: Relay) {}

  /** Publishes what happens until the process ends. */
  start(): void {
    if (this.#started || this.#ended) return;
    this.#started = true;
    this.relay.start();
  }

  /** For readiness: throws what is missing. */
  check(): void {
    const { members, failing, problem } = this.relay.status();
    if (!this.#started) throw new Error('waits for RabbitMQ');
    if (problem !== undefined) throw new Error(`cannot publish: ${problem}`);
    if (members.length === 0) throw new Error('has not joined the other workers yet');
    if (failing) throw new Error('cannot read the feed, trying again');
  }

  async onApplicationShutdown(): Promise<void> {
    this.#ended = true;
    if (this.#started) await this.relay.stop();
  }

  static readonly tell = (error: unknown): void => log.error(`cannot publish, trying again: ${reasonOf(error)}`);
  static readonly tellParked = ({
    partition,
    position,
    error,
  }: {
    partition: string;
    position: number;
    error: string;
  }) => log.error({ partition, position, error }, 'events of one account wait, because one of them cannot be sent');
}
