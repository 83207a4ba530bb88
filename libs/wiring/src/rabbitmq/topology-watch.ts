import type { OnApplicationShutdown } from '@nestjs/common';
import { BackOff } from '@keyfold/concurrency';
import { reasonOf } from '@keyfold/reporting';
import type { BrokerConnection } from '@keyfold/messaging/rabbitmq';

/** Milliseconds between two checks of an incomplete topology. */
const RECHECK_INTERVAL = 30_000;
/** Milliseconds after a failed check, doubled with each up to `RECHECK_INTERVAL`. Most problems of a connected broker end soon. */
const INITIAL_RETRY_DELAY = 1_000;

/** The part of Nest's logger that the broker's watchers use. */
export type Log = Readonly<{ log(text: string): void; warn(text: string): void }>;

/** Returns the missing parts of the topology, and may create them first. Throws if the topology cannot be checked. */
export type TopologyCheck = () => Promise<readonly string[]>;

/** Checks the topology at every connect, and again until it is complete. Logs each problem once. */
export class TopologyWatch implements OnApplicationShutdown {
  #missing: readonly string[] | undefined;
  #logged = '';
  readonly #backOff = new BackOff(INITIAL_RETRY_DELAY, RECHECK_INTERVAL);
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;

  constructor(
    private readonly connection: BrokerConnection,
    private readonly check: TopologyCheck,
    private readonly log: Log,
  ) {
    this.#stopListening = connection.onConnected(() => this.recheck());
    if (connection.state !== 'disconnected') this.recheck();
  }

  /** Whether the last check found the topology complete. */
  get isComplete(): boolean {
    return this.#missing?.length === 0;
  }

  /** The missing parts that the last check found; empty before the first check. */
  get missing(): readonly string[] {
    return this.#missing ?? [];
  }

  /** Calls `listener` once, as soon as the topology is complete. Returns a function that unsubscribes. */
  onTopologyReady(listener: () => void): () => void {
    if (this.isComplete) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Checks again because of a sign that the topology is incomplete. */
  recheck(): void {
    clearTimeout(this.#timer);
    // A running check may belong to a lost connection, so the next one follows it instead of sharing it.
    const previous = this.#running ?? Promise.resolve();
    const running = previous.then(() => this.#check());
    this.#running = running;
    void running.then(() => {
      if (this.#running === running) this.#running = undefined;
    });
  }

  /** Stops. A running check ends with its connection, and its result is ignored. */
  onApplicationShutdown(): void {
    this.#stopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  async #check(): Promise<void> {
    if (this.#stopped || this.connection.state === 'disconnected') return;
    let delay = RECHECK_INTERVAL;
    try {
      const missing = await this.check();
      this.#backOff.reset();
      if (!this.#stopped) this.#found(missing);
    } catch (error) {
      delay = this.#backOff.next();
      this.#warn(`cannot check the topology of RabbitMQ, retrying: ${reasonOf(error)}`);
    }
    if (this.#stopped || this.isComplete) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.recheck(), delay).unref();
  }

  #found(missing: readonly string[]): void {
    this.#missing = missing;
    if (missing.length > 0)
      return this.#warn(`the topology of RabbitMQ is incomplete, retrying: ${missing.join('; ')}`);
    if (this.#logged !== '') this.log.log('the topology of RabbitMQ is complete');
    this.#logged = '';
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  #warn(text: string): void {
    if (text === this.#logged || this.#stopped) return;
    this.#logged = text;
    this.log.warn(text);
  }
}
