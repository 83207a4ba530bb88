import type { OnApplicationShutdown } from '@nestjs/common';
import type { Outlet, Relay } from '@keyfold/messaging';

/** Runs the relay to an outlet. On shutdown, it stops after the consumers have drained and before connections and store close. */
export abstract class RelayRunner<To extends Outlet> implements OnApplicationShutdown {
  #started = false;
  #stopped = false;

  constructor(
    readonly relay: Relay,
    readonly outlet: To,
  ) {}

  /** Starts to deliver. Does nothing if the relay runs already or the process is shutting down. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    this.relay.start();
  }

  /** Returns why the relay delivers nothing; undefined if it delivers or waits for its outlet. */
  get problem(): string | undefined {
    const { members, failing } = this.relay.status();
    if (members.length === 0) return 'has not joined the other workers yet';
    return failing ? 'cannot read the feed, retrying' : undefined;
  }

  get isStarted(): boolean {
    return this.#started;
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    if (this.#started) await this.relay.stop();
  }
}
