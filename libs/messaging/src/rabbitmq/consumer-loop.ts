import { reasonOf } from '@keyfold/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitAtMost } from '../wait-at-most.js';
import type { BrokerConnection } from './broker-connection.js';
import { Consumer, type ConsumerOptions } from './consumer.js';

/** `cancelled`: there is a connection, and the queue is not consumed; it is tried again. */
export type ConsumerState = 'consuming' | 'cancelled' | 'disconnected';

/** Milliseconds between two tries; doubled from the first to the last. A new connection ends a pause. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** How long the broker may take to answer whoever is about to consume when it is stopped, in milliseconds. */
const STOP_TIME = 2_000;

/**
 * Keeps one consumer at a queue, whatever ends it: a lost connection, a closed channel, a consumer that the broker cancels because the
 * queue was deleted or moved. It is one loop and not a reaction to each of these, because they come together.
 */
export class ConsumerLoop {
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #subscription: Consumer | undefined;
  #last: Consumer | undefined;
  #problem: string | undefined;

  /** `onProblem` hears each new reason why the queue is not consumed, once. */
  constructor(
    private readonly connection: BrokerConnection,
    private readonly options: ConsumerOptions,
    private readonly onProblem: (problem: string) => void,
  ) {}

  get state(): ConsumerState {
    if (this.connection.state === 'disconnected') return 'disconnected';
    return this.#subscription ? 'consuming' : 'cancelled';
  }

  /** Why the queue is not consumed. */
  get problem(): string | undefined {
    return this.#subscription ? undefined : this.#problem;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the deliveries; those that came can still be settled. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    if (this.#running) await waitAtMost(STOP_TIME, this.#running);
  }

  /** Waits until the channel is closed; after `stop`, and once all deliveries were settled. */
  async closed(): Promise<void> {
    await this.#last?.closed();
  }

  async #run(): Promise<void> {
    let pause = FIRST_PAUSE;
    while (!this.#stopped.signal.aborted) {
      const consumed = await this.#consume();
      if (consumed) pause = FIRST_PAUSE;
      await this.#pause(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  /** Until the consumer has come to its end; answers whether there was one. */
  async #consume(): Promise<boolean> {
    try {
      const subscription = await Consumer.open(this.connection, this.options);
      this.#subscription = this.#last = subscription;
      this.#problem = undefined;
      const stop = () => void subscription.cancel();
      if (this.#stopped.signal.aborted) stop();
      this.#stopped.signal.addEventListener('abort', stop, { once: true });
      const reason = await subscription.ended;
      this.#stopped.signal.removeEventListener('abort', stop);
      this.#subscription = undefined;
      this.#tell(reason);
      return true;
    } catch (error) {
      this.#tell(reasonOf(error));
      return false;
    }
  }

  #tell(problem: string): void {
    const isNew = problem !== this.#problem;
    this.#problem = problem;
    // A lost connection is told by itself, and not by each of its queues.
    if (isNew && !this.#stopped.signal.aborted && this.state === 'cancelled') this.onProblem(problem);
  }

  async #pause(milliseconds: number): Promise<void> {
    const wake = new AbortController();
    const end = this.connection.onConnected(() => wake.abort());
    await sleep(milliseconds, undefined, { signal: AbortSignal.any([wake.signal, this.#stopped.signal]) }).catch(
      () => undefined,
    );
    end();
  }
}
