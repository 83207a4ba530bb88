import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { Relay } from '@keyfold/messaging';

const log = new Logger('Relay');

/** Runs the relay. On shutdown, it stops after the consumers have drained and before connections and store close. */
export class RelayRunner implements OnApplicationShutdown {
  #started = false;
  #stopped = false;

  constructor(private readonly relay: Relay) {}

  /** Starts to publish. Does nothing if the relay runs already or the process is shutting down. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    this.relay.start();
  }

  /** Readiness check: throws if the relay is not publishing. */
  check(): void {
    const { members, failing, problem } = this.relay.status();
    if (!this.#started) throw new Error('waiting for RabbitMQ');
    if (problem !== undefined) throw new Error(`cannot publish: ${problem}`);
    if (members.length === 0) throw new Error('has not joined the other workers yet');
    if (failing) throw new Error('cannot read the feed, retrying');
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    if (this.#started) await this.relay.stop();
  }

  static readonly reportError = (error: unknown): void => log.error(`cannot publish, retrying: ${reasonOf(error)}`);
  static readonly reportParked = ({
    partition,
    position,
    error,
  }: {
    partition: string;
    position: number;
    error: string;
  }) => log.error({ partition, position, error }, 'an account is parked because one of its events cannot be sent');
}
