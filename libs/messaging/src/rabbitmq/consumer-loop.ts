import { BackOff, waitAtMost } from '@keyfold/concurrency';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerConnection } from './broker-connection.js';
import { channelProblemOf } from './channel-error.js';
import { Consumer, type ConsumerOptions } from './consumer.js';

/** The state of a consumer. `cancelled`: connected, but the queue is not being consumed; the loop retries. */
export type ConsumerState = 'consuming' | 'cancelled' | 'disconnected';

/** Milliseconds between two attempts; doubled up to the maximum. A new connection ends the delay. */
const INITIAL_DELAY = 100;
const MAX_DELAY = 5_000;
/** Milliseconds that `stop` waits for an attempt in progress. */
const STOP_TIMEOUT = 2_000;

/**
 * Consumes a queue and starts a new consumer whenever the current one ends: the connection is lost, the channel is closed, or the broker
 * cancels the consumer because the queue was deleted or moved. One loop handles all of these, because they often occur together.
 */
export class ConsumerLoop {
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #consumer: Consumer | undefined;
  #lastConsumer: Consumer | undefined;
  #problem: string | undefined;

  /** `onProblem` is called once for each new reason why the queue is not being consumed. */
  constructor(
    private readonly connection: BrokerConnection,
    private readonly options: ConsumerOptions,
    private readonly onProblem: (problem: string) => void,
  ) {}

  get state(): ConsumerState {
    if (this.connection.state === 'disconnected') return 'disconnected';
    return this.#consumer ? 'consuming' : 'cancelled';
  }

  /** Why the queue is not being consumed. */
  get problem(): string | undefined {
    return this.#consumer ? undefined : this.#problem;
  }

  /** Starts the loop. Does not wait for the broker. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops deliveries. Messages that were already delivered can still be settled. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    if (this.#running) await waitAtMost(STOP_TIMEOUT, this.#running);
  }

  /** Waits until the channel is closed. Call it after `stop`, when all deliveries are settled. */
  async closed(): Promise<void> {
    await this.#lastConsumer?.closed();
  }

  async #run(): Promise<void> {
    const backOff = new BackOff(INITIAL_DELAY, MAX_DELAY);
    while (!this.#stopped.signal.aborted) {
      if (await this.#consume()) backOff.reset();
      await this.#wait(backOff.next());
    }
  }

  /** Runs one consumer until it ends. Returns false if it could not start. */
  async #consume(): Promise<boolean> {
    try {
      const consumer = await Consumer.open(this.connection, this.options);
      this.#consumer = this.#lastConsumer = consumer;
      this.#problem = undefined;
      const stop = () => void consumer.cancel();
      if (this.#stopped.signal.aborted) stop();
      this.#stopped.signal.addEventListener('abort', stop, { once: true });
      const reason = await consumer.ended;
      this.#stopped.signal.removeEventListener('abort', stop);
      this.#consumer = undefined;
      this.#report(reason);
      return true;
    } catch (error) {
      this.#report(channelProblemOf(error));
      return false;
    }
  }

  #report(problem: string): void {
    const isNew = problem !== this.#problem;
    this.#problem = problem;
    // A lost connection is reported once for the connection, not for each of its queues.
    if (isNew && !this.#stopped.signal.aborted && this.state === 'cancelled') this.onProblem(problem);
  }

  async #wait(milliseconds: number): Promise<void> {
    const wake = new AbortController();
    const end = this.connection.onConnected(() => wake.abort());
    await sleep(milliseconds, undefined, { signal: AbortSignal.any([wake.signal, this.#stopped.signal]) }).catch(
      () => undefined,
    );
    end();
  }
}
