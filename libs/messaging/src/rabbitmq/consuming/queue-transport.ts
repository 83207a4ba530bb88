import { Logger } from '@nestjs/common';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { ConsumeMessage } from 'amqplib';
import { unlessAborted, waitAtMost } from '@keyfold/concurrency';
import { isObservable, lastValueFrom } from 'rxjs';
import { HandlerTimedOut, InvalidMessage, type MessageContext } from '../../consuming.js';
import type { MessageTraces } from '../../publishing.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { ConsumerLoop, type ConsumerState, type Settlement } from './consumer.js';
import { envelopeOf, type Envelope } from './envelope.js';

/** The outcome of a message that can be acknowledged. */
export type Outcome = 'done' | 'retried' | 'parked' | 'answered' | 'refused' | 'ignored';

export type TypedEnvelope = Envelope & { type: string };

/** Runs the handler of the message's type for at most `timeout` milliseconds. Returns its result and throws its error. */
export type RunHandler = (envelope: TypedEnvelope, data: unknown, timeout?: number) => Promise<unknown>;

/** Decides what happens to the messages of a queue. */
export type MessageProcessor = {
  /**
   * Resolves once the message may be acknowledged. Rejects if its outcome is unknown, as when `signal` is aborted; the message then
   * returns to the queue.
   */
  process(message: ConsumeMessage, run: RunHandler, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
};

export type QueueTransportOptions = Readonly<{
  queue: string;
  /** The transport id that the handlers of this queue declare. */
  transportId: symbol;
  /** Maximum number of messages handled at the same time. */
  prefetch: number;
  /** Milliseconds a handler may take; must stay far below the broker's `consumer_timeout`. Defaults to 60 s. */
  handlerTimeout?: number;
  /** Milliseconds that `close` waits for running handlers; unfinished messages are redelivered. Defaults to 15 s. */
  drainTimeout?: number;
  traces?: MessageTraces | undefined;
}>;

/** The state of a consumed queue. `given-back` counts messages without an outcome, which were requeued. */
export type QueueStatus = Readonly<{
  queue: string;
  state: ConsumerState;
  /** Why the queue is not being consumed. */
  problem: string | undefined;
  inFlight: number;
  redelivered: number;
  outcomes: Readonly<Partial<Record<Outcome | 'given-back', number>>>;
}>;

const HANDLER_TIMEOUT = 60_000;
const DRAIN_TIMEOUT = 15_000;

/**
 * Delivers the messages of one queue to the handlers that declare its transport id, and settles each message once, according to its
 * outcome. Nest's own transport for RabbitMQ loses messages when a consumer is cancelled, a handler throws or the process shuts down.
 */
export class QueueTransport extends Server implements CustomTransportStrategy {
  override readonly transportId: symbol;
  protected override readonly logger = new Logger('Queue');
  readonly #loop: ConsumerLoop;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #outcomes: Partial<Record<Outcome | 'given-back', number>> = {};
  /** Aborted when the drain timeout has passed. */
  readonly #drainTimedOut = new AbortController();
  #redelivered = 0;
  #stopping = false;

  /** `connection` must be one that consumes. */
  constructor(
    connection: BrokerConnection,
    private readonly processor: MessageProcessor,
    private readonly options: QueueTransportOptions,
  ) {
    super();
    this.transportId = options.transportId;
    const { queue, prefetch } = options;
    this.#loop = new ConsumerLoop(
      connection,
      { queue, prefetch, onDelivery: (message, settlement) => this.#accept(message, settlement) },
      (problem) => this.logger.warn(`cannot consume ${queue}, retrying: ${problem}`),
    );
  }

  /** Starts to consume, now or as soon as the broker is reachable. */
  listen(callback: () => void): void {
    this.#loop.start();
    callback();
  }

  /** Stops consuming, waits for running handlers, settles their messages and closes the channel. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#loop.stop();
    const drained = Promise.all(this.#inFlight);
    await waitAtMost(this.options.drainTimeout ?? DRAIN_TIMEOUT, drained);
    this.#drainTimedOut.abort(new Error('the process is shutting down'));
    await drained;
    await this.#loop.closed();
    await this.processor.close();
  }

  queueStatus(): QueueStatus {
    return {
      queue: this.options.queue,
      state: this.#loop.state,
      problem: this.#loop.problem,
      inFlight: this.#inFlight.size,
      redelivered: this.#redelivered,
      outcomes: { ...this.#outcomes },
    };
  }

  override on(): never {
    throw new Error('QueueTransport has no events');
  }

  override unwrap(): never {
    throw new Error('QueueTransport wraps no client');
  }

  #accept(message: ConsumeMessage, settlement: Settlement): void {
    if (message.fields.redelivered) this.#redelivered += 1;
    const handled = this.#handle(message, settlement).finally(() => this.#inFlight.delete(handled));
    this.#inFlight.add(handled);
  }

  /** Never rejects. */
  async #handle(message: ConsumeMessage, settlement: Settlement): Promise<void> {
    const signal = AbortSignal.any([settlement.lost, this.#drainTimedOut.signal]);
    try {
      if (this.#stopping) throw new Error('the process is shutting down');
      const { redelivered } = message.fields;
      const run: RunHandler = (envelope, data, timeout) => this.#run(envelope, data, signal, redelivered, timeout);
      const handle = () => unlessAborted(signal, this.processor.process(message, run, signal));
      const outcome = await this.#traced(message, handle);
      settlement.ack();
      this.#count(outcome);
    } catch (error) {
      this.#count('given-back');
      if (signal.aborted || this.#stopping) return settlement.requeue();
      settlement.fail();
      const { id, correlation } = envelopeOf(message);
      this.logger.error(
        { queue: this.options.queue, id, correlation, err: error },
        'a message failed and was requeued',
      );
    }
  }

  #traced(message: ConsumeMessage, handle: () => Promise<Outcome>): Promise<Outcome> {
    const { queue, traces } = this.options;
    if (!traces) return handle();
    const { id, type, traceparent } = envelopeOf(message);
    return traces.handle({ queue, id, type, traceparent }, handle);
  }

  async #run(
    { id, type, attempt, correlation, traceparent }: TypedEnvelope,
    data: unknown,
    signal: AbortSignal,
    redelivered: boolean,
    timeout = Infinity,
  ): Promise<unknown> {
    const handler = this.messageHandlers.get(type);
    if (!handler) throw new InvalidMessage('type-unknown', 'there is no handler for this type');
    const limit = Math.min(timeout, this.options.handlerTimeout ?? HANDLER_TIMEOUT);
    const timedOut = new AbortController();
    const timer = setTimeout(() => timedOut.abort(new HandlerTimedOut(limit)), limit);
    const aborted = AbortSignal.any([signal, timedOut.signal]);
    const context: MessageContext = { id, type, attempt, correlation, traceparent, redelivered, signal: aborted };
    try {
      return await unlessAborted(aborted, resultOf(handler, data, context));
    } finally {
      clearTimeout(timer);
    }
  }

  #count(outcome: Outcome | 'given-back'): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
  }
}

/** Handlers return values, promises or observables; exception filters return observables that fail. */
async function resultOf(handler: MessageHandler, data: unknown, context: MessageContext): Promise<unknown> {
  const result: unknown = await handler(data, context);
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
