import { Logger } from '@nestjs/common';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { ConsumeMessage } from 'amqplib';
import { isObservable, lastValueFrom } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { HandlerTimedOut, InvalidMessage } from '../consuming/consuming.errors.js';
import type { MessageContext } from '../consuming/message-context.js';
import type { MessageTraces } from '../message-traces.js';
import type { BrokerConnection } from './broker-connection.js';
import { envelopeOf, type Envelope } from './envelope.js';
import { ConsumerLoop, type ConsumerState } from './consumer-loop.js';
import type { MessageProcessor, Outcome } from './message-processor.js';
import type { Settlement } from './settlement.js';

/** A queue, and how its messages are taken. Without times of its own a handler has 60 seconds and the end of the process waits 15. */
export type QueueTransportOptions = Readonly<{
  queue: string;
  /** What the handlers of this queue name. */
  transportId: symbol;
  /** How many messages are handled at a time. */
  prefetch: number;
  /** How long a handler may take (milliseconds); it must stay far below the broker's `consumer_timeout`. */
  handlerTimeout?: number;
  /** How long running handlers may take when the process ends (milliseconds); what is not done by then comes again. */
  drainTimeout?: number;
  traces?: MessageTraces | undefined;
}>;

/** How a queue is doing. `given-back`: neither done nor put aside, so the message comes again. */
export type QueueStatus = Readonly<{
  queue: string;
  state: ConsumerState;
  /** Why it is not consumed. */
  problem: string | undefined;
  inFlight: number;
  redelivered: number;
  outcomes: Readonly<Partial<Record<Outcome | 'given-back', number>>>;
}>;

const HANDLER_TIMEOUT = 60_000;
const DRAIN_TIMEOUT = 15_000;

/**
 * Brings the messages of one queue to the handlers that name its transport. Nest's own transport for RabbitMQ loses messages when a
 * consumer is cancelled, a handler throws, or the process ends; this one settles each message exactly once, by what became of it.
 */
export class QueueTransport extends Server implements CustomTransportStrategy {
  override readonly transportId: symbol;
  protected override readonly logger = new Logger('Queue');
  readonly #loop: ConsumerLoop;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #outcomes: Partial<Record<Outcome | 'given-back', number>> = {};
  readonly #ended = new AbortController();
  #redelivered = 0;
  #stopping = false;

  /** `connection` is one that consumes. */
  constructor(
    connection: BrokerConnection,
    private readonly process: MessageProcessor,
    private readonly options: QueueTransportOptions,
  ) {
    super();
    this.transportId = options.transportId;
    const { queue, prefetch } = options;
    this.#loop = new ConsumerLoop(
      connection,
      { queue, prefetch, onDelivery: (message, settlement) => this.#take(message, settlement) },
      (problem) => this.logger.warn(`${queue} is not consumed, trying again: ${problem}`),
    );
  }

  /** Begins to consume; whether the broker is there does not matter. */
  listen(callback: () => void): void {
    this.#loop.start();
    callback();
  }

  /** Takes no more messages, lets running handlers end, settles, and closes the channel. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#loop.stop();
    const late = new AbortController();
    const drained = Promise.all(this.#inFlight).then(() => late.abort());
    await sleep(this.options.drainTimeout ?? DRAIN_TIMEOUT, undefined, { signal: late.signal }).catch(() => undefined);
    this.#ended.abort(new Error('the process ends'));
    await drained;
    await this.#loop.closed();
    await this.process.close();
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

  /** There is nothing of a client library to listen to. */
  override on(): never {
    throw new Error('this transport has no events');
  }

  override unwrap(): never {
    throw new Error('this transport wraps nothing');
  }

  #take(message: ConsumeMessage, settlement: Settlement): void {
    if (message.fields.redelivered) this.#redelivered += 1;
    const handled = this.#handle(message, settlement).finally(() => this.#inFlight.delete(handled));
    this.#inFlight.add(handled);
  }

  /** Never rejects. */
  async #handle(message: ConsumeMessage, settlement: Settlement): Promise<void> {
    const signal = AbortSignal.any([settlement.lost, this.#ended.signal]);
    try {
      if (this.#stopping) throw new Error('the process ends');
      const run = (envelope: Envelope & { type: string }, data: unknown, time?: number) =>
        this.#run(envelope, data, { time, signal, redelivered: message.fields.redelivered });
      const process = () => unlessAborted(signal, this.process.process(message, run, signal));
      const outcome = await this.#followed(message, process);
      settlement.ack();
      this.#count(outcome);
    } catch (error) {
      this.#count('given-back');
      if (signal.aborted || this.#stopping) return settlement.giveBack();
      settlement.fail();
      const { id, correlation } = envelopeOf(message);
      this.logger.error({ queue: this.options.queue, id, correlation, err: error }, 'a message was given back');
    }
  }

  #followed(message: ConsumeMessage, process: () => Promise<Outcome>): Promise<Outcome> {
    const { queue, traces } = this.options;
    if (!traces) return process();
    const { id, type, traceparent } = envelopeOf(message);
    return traces.handle({ queue, id, type, traceparent }, process);
  }

  async #run(
    { id, type, attempt, correlation, traceparent }: Envelope & { type: string },
    data: unknown,
    { time = Infinity, signal, redelivered }: { time: number | undefined; signal: AbortSignal; redelivered: boolean },
  ): Promise<unknown> {
    const handler = this.messageHandlers.get(type);
    if (!handler) throw new InvalidMessage('type-unknown', 'nobody handles messages of this type');
    const limit = Math.min(time, this.options.handlerTimeout ?? HANDLER_TIMEOUT);
    const timeUp = new AbortController();
    const timer = setTimeout(() => timeUp.abort(new HandlerTimedOut(limit)), limit);
    const over = AbortSignal.any([signal, timeUp.signal]);
    const context: MessageContext = { id, type, attempt, correlation, traceparent, redelivered, signal: over };
    try {
      return await unlessAborted(over, resultOf(handler, data, context));
    } finally {
      clearTimeout(timer);
    }
  }

  #count(outcome: Outcome | 'given-back'): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
  }
}

/** Handlers answer values, promises and streams; filters answer streams that fail. */
async function resultOf(handler: MessageHandler, data: unknown, context: MessageContext): Promise<unknown> {
  const result: unknown = await handler(data, context);
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}

/** Rejects with the reason of the signal when that is aborted first. */
async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    aborted.promise.catch(() => undefined);
    work.catch(() => undefined);
  }
}
