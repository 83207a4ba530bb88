import { BackOff, waitAtMost } from '@keyfold/concurrency';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { channelProblemOf } from '../connection/channels.js';
import { BODY_SIZE_HEADER, MAX_BODY } from './envelope.js';

/**
 * Settles a delivery exactly once. The broker closes the channel on a second answer, which would requeue all other deliveries, so only the
 * first answer is sent. If the channel is gone, no answer is needed: the broker redelivers the message.
 */
export class Settlement {
  #settled = false;

  constructor(
    private readonly channel: Channel,
    private readonly message: ConsumeMessage,
    /** Aborted when the channel is lost. */
    readonly lost: AbortSignal,
    private readonly onSettled: () => void,
  ) {}

  ack(): void {
    this.#settle(() => this.channel.ack(this.message));
  }

  /** Returns the message to the queue. The delivery does not count towards the delivery limit. */
  requeue(): void {
    this.#settle(() => this.channel.nack(this.message, false, true));
  }

  /** Returns the message to the queue as a failed delivery. At the delivery limit, the broker parks the message. */
  fail(): void {
    this.#settle(() => this.channel.reject(this.message, true));
  }

  #settle(answer: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    try {
      if (!this.lost.aborted) answer();
    } catch {
      // The channel has just closed, so the broker redelivers the message.
    }
    this.onSettled();
  }
}

export type ConsumerOptions = Readonly<{
  queue: string;
  /** Maximum number of unsettled deliveries. */
  prefetch: number;
  onDelivery(message: ConsumeMessage, settlement: Settlement): void;
}>;

/** Milliseconds to wait for the broker, which may be gone without closing the connection. */
const TIMEOUT = 1_000;

/** A consumer of one queue on a channel of its own, from `basic.consume` until the channel is closed. */
export class Consumer {
  readonly #ended = Promise.withResolvers<string>();
  readonly #lost = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #unsettled = 0;
  #hasEnded = false;
  #tag: string | undefined;

  private constructor(
    private readonly channel: Channel,
    private readonly options: ConsumerOptions,
  ) {
    channel.on('error', (error: Error) => {
      // The broker has already closed the channel. Closing it again would close the whole connection.
      this.#lost.abort();
      this.#end(channelProblemOf(error));
    });
    channel.on('close', () => {
      this.#lost.abort();
      this.#closed.resolve();
      this.#end('the channel was closed');
    });
  }

  /** Starts to consume. Rejects if the broker is unreachable or refuses, for example because the queue does not exist. */
  static async open(connection: BrokerConnection, options: ConsumerOptions): Promise<Consumer> {
    const channel = await connection.channel();
    dropLargeBodies(channel);
    const consumer = new Consumer(channel, options);
    try {
      await consumer.#start();
    } catch (error) {
      consumer.#end(channelProblemOf(error));
      throw error;
    }
    return consumer;
  }

  /** Resolves with the reason once deliveries have ended. Never rejects. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Stops deliveries. Messages that were already delivered can still be settled. */
  async cancel(): Promise<void> {
    if (this.#hasEnded) return;
    if (this.#tag !== undefined) await waitAtMost(TIMEOUT, this.channel.cancel(this.#tag));
    this.#end('the consumer was cancelled');
  }

  /** Waits until the channel is closed, which happens after the last delivery was settled. */
  async closed(): Promise<void> {
    await waitAtMost(TIMEOUT, this.#closed.promise);
  }

  async #start(): Promise<void> {
    const { queue, prefetch } = this.options;
    await this.channel.prefetch(prefetch);
    const { consumerTag } = await this.channel.consume(queue, (message) => {
      if (message) this.#deliver(message);
      else this.#end('the broker cancelled the consumer');
    });
    this.#tag = consumerTag;
  }

  #deliver(message: ConsumeMessage): void {
    this.#unsettled += 1;
    const settlement = new Settlement(this.channel, message, this.#lost.signal, () => {
      this.#unsettled -= 1;
      this.#closeWhenSettled();
    });
    this.options.onDelivery(message, settlement);
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    this.#ended.resolve(reason);
    this.#closeWhenSettled();
  }

  /** Deliveries can only be settled on the channel that they arrived on, so it stays open until all are. */
  #closeWhenSettled(): void {
    if (!this.#hasEnded || this.#unsettled > 0 || this.#lost.signal.aborted) return;
    this.#lost.abort();
    // Rejects if the channel was closed meanwhile.
    this.channel.close().catch(() => this.#closed.resolve());
  }
}

type Frame = { size?: number; content?: Buffer; fields?: { headers?: object } };

/**
 * Drops the body of a delivery whose declared size exceeds the limit, and delivers the size in a header. amqplib 2.3.1 would collect the
 * whole body, up to 128 MB for each message in flight, and has no option for this.
 */
function dropLargeBodies(channel: Channel): void {
  const frames = channel as unknown as { acceptMessageFrame(frame: Frame): void };
  const { acceptMessageFrame } = frames;
  let dropping = 0;
  frames.acceptMessageFrame = (frame) => {
    if (dropping > 0) return void (dropping -= frame.content?.length ?? 0);
    if (frame.fields && frame.size !== undefined && frame.size > MAX_BODY) {
      dropping = frame.size;
      frame.fields.headers = { ...frame.fields.headers, [BODY_SIZE_HEADER]: frame.size };
      frame.size = 0;
    }
    acceptMessageFrame.call(channel, frame);
  };
}

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

  /** Does not wait for the broker. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops deliveries. Messages that were already delivered can still be settled. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    void this.#consumer?.cancel();
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
      await this.connection.nextConnect(backOff.next(), this.#stopped.signal);
    }
  }

  /** Runs one consumer until it ends. Returns false if it could not start. */
  async #consume(): Promise<boolean> {
    try {
      const consumer = await Consumer.open(this.connection, this.options);
      this.#consumer = this.#lastConsumer = consumer;
      this.#problem = undefined;
      if (this.#stopped.signal.aborted) void consumer.cancel();
      const reason = await consumer.ended;
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
}
