import { waitAtMost } from '@keyfold/concurrency';
import { reasonOf } from '@keyfold/reporting';
import type { ConfirmChannel, Message, Options } from 'amqplib';
import { BrokerUnavailable, MessageRefused, STALL_AGE, UnsendableMessage, type Stall } from '../../publishing.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { APPLY_ADVICE, channelProblemOf, closeChannel } from '../connection/channels.js';
import { EVENT_LOG } from '../topology/topology.js';

/** A message and its destination. With an empty `exchange`, the routing key is the name of a queue. */
export type AddressedMessage = Readonly<{
  exchange: string;
  routingKey: string;
  body: Buffer;
  properties: Options.Publish;
}>;

type PendingMessage = AddressedMessage & Readonly<{ resolve: () => void; reject: (error: Error) => void }>;

/** A message that was sent and not yet confirmed. `sentAt` is in milliseconds of the sender's clock. */
type InFlightMessage = PendingMessage & { readonly sentAt: number; returned?: true };

export type ConfirmSenderOptions = Readonly<{
  /** Milliseconds the broker may take to confirm a message, not counting the time it is blocked. Defaults to 10 s. */
  confirmTimeout?: number;
  /** Maximum number of messages in flight; further messages are queued. Defaults to 150. */
  window?: number;
  /** Called when the broker is connected but takes or confirms no messages: once per reason until a message is confirmed. */
  onProblem?(problem: string): void;
}>;

const CONFIRM_TIMEOUT = 10_000;
/** With 200 unconfirmed messages to one queue, RabbitMQ may stop reading from the connection (credit_flow_default_credit), and could not answer a probe. */
const WINDOW = 150;
/** Milliseconds between the loss of a channel and the next attempt to open one. */
const REOPEN_DELAY = 500;
const TICK = 100;
/** Milliseconds without an answer before the broker is probed, and between two probes. */
const PROBE_INTERVAL = 2_000;
/** No queue has this name, so the broker confirms the message at once, even while a queue takes none. */
const PROBE = 'keyfold.probe';
/** The error text of amqplib 2.3 for a nack. Any other error means that the channel is gone. */
const NACKED = 'message nacked';

/**
 * Sends persistent messages over a confirm channel of its own and reopens the channel when it closes. While the broker is blocked,
 * nothing is sent, and messages in flight keep waiting for their confirm: a memory alarm causes no duplicates. `send` promises what `EventPublisher.publish` does.
 */
export class ConfirmSender {
  readonly #window: number;
  readonly #confirmTimeout: number;
  readonly #readyListeners = new Set<() => void>();
  /** Sent over the current channel and not yet confirmed, in order. */
  readonly #inFlight = new Set<InFlightMessage>();
  readonly #waiting: PendingMessage[] = [];
  #channel: ConfirmChannel | undefined;
  #opening = false;
  #draining = false;
  #closed = false;
  #wasReady = false;
  #problem: string | undefined;
  /** Why the broker closed the last channel. */
  #channelProblem: string | undefined;
  /** Milliseconds for which this process ran and the broker was not blocked. All other times are on this clock. */
  #clock = 0;
  /** The last time at which the broker answered, or owed no answer. Once it was silent, another channel alone is no answer. */
  #answeredAt = 0;
  /** A message that the broker does not confirm although it answers. Kept while messages with its routing key are resent. */
  #unconfirmed: { message: AddressedMessage; since: number; sentAt: number } | undefined;
  #wasStalled = false;
  #probedAt = 0;
  #tickedAt = performance.now();
  readonly #ticking: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(
    private readonly connection: BrokerConnection,
    private readonly options: ConfirmSenderOptions,
  ) {
    this.#window = options.window ?? WINDOW;
    this.#confirmTimeout = options.confirmTimeout ?? CONFIRM_TIMEOUT;
    this.#stopListening = connection.onConnected(() => {
      // The channel belongs to the previous connection, even if it has not emitted `close` yet.
      this.#abandon('the connection was lost');
      void this.#open();
    });
    this.#ticking = setInterval(() => this.#tick(), TICK).unref();
    void this.#open();
  }

  get isReady(): boolean {
    return this.#channel !== undefined && this.connection.state === 'connected';
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get stall(): Stall | undefined {
    const { message, since = this.#answeredAt } = this.#unconfirmed ?? {};
    const age = this.#clock - since;
    if (age < STALL_AGE) return undefined;
    const isTotal = this.#clock - this.#answeredAt >= STALL_AGE;
    const { state } = this.connection;
    const away = state === 'connected' ? 'RabbitMQ does not answer' : `RabbitMQ is ${state}`;
    const cause = message && !isTotal ? causeOf(message) : away;
    return { isTotal, seconds: age / 1_000, reason: `no confirm for ${Math.floor(age / 1_000)} seconds: ${cause}` };
  }

  onReady(listener: () => void): () => void {
    this.#readyListeners.add(listener);
    return () => this.#readyListeners.delete(listener);
  }

  send(message: AddressedMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.isReady) return reject(new BrokerUnavailable(this.#whyAway()));
      this.#waiting.push({ ...message, resolve, reject });
      this.#sendNext();
    });
  }

  /** Stops sending and abandons the messages in flight. The connection stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    clearInterval(this.#ticking);
    const channel = this.#channel;
    this.#abandon('the sender was closed');
    if (channel) await closeChannel(channel);
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#inFlight.size < this.#window && !this.#draining && this.isReady) {
      const message = this.#waiting.shift();
      if (message) this.#sendNow(message);
    }
  }

  #sendNow(pending: PendingMessage): void {
    const channel = this.#channel;
    if (!channel) return pending.reject(new BrokerUnavailable(this.#whyAway()));
    const { exchange, routingKey, body, properties } = pending;
    const message: InFlightMessage = { ...pending, sentAt: this.#clock };
    const options = { ...properties, persistent: true, mandatory: true };
    try {
      const onConfirm = (error: Error | null) => this.#settle(message, error);
      this.#draining = !channel.publish(exchange, routingKey, body, options, onConfirm);
      this.#inFlight.add(message);
      if (this.#unconfirmed?.message.routingKey === routingKey) this.#unconfirmed.sentAt = this.#clock;
    } catch (error) {
      // amqplib throws this if the channel has just closed; any other error comes from encoding and would recur.
      const isClosed = error instanceof Error && error.name === 'IllegalOperationError';
      if (isClosed) this.#loseChannel();
      const Failure = isClosed ? BrokerUnavailable : UnsendableMessage;
      pending.reject(new Failure(`cannot send ${nameOf(pending)}: ${reasonOf(error)}`, { cause: error }));
    }
  }

  #settle(message: InFlightMessage, error: Error | null): void {
    // An abandoned message is settled already.
    if (!this.#inFlight.delete(message)) return;
    const isRefused = message.returned || error?.message === NACKED;
    if (isRefused || !error) {
      this.#answeredAt = this.#clock;
      if (this.#unconfirmed?.message.routingKey === message.routingKey) this.#unconfirmed = undefined;
    }
    if (isRefused) {
      const reason = refusalReasonOf(message);
      this.#report(reason);
      message.reject(new MessageRefused(`the broker refused ${nameOf(message)}: ${reason}`));
    } else if (error) {
      message.reject(unknownOutcomeOf(message, this.#channelProblem ?? reasonOf(error)));
    } else {
      this.#problem = undefined;
      message.resolve();
    }
    this.#sendNext();
  }

  /** Marks a message as returned: no queue matched it. RabbitMQ returns a message before it confirms it. */
  #markReturned({ fields, properties }: Message): void {
    for (const message of this.#inFlight) {
      // The same message can be in flight twice, so only one of the two is marked.
      if (message.properties.messageId !== properties.messageId || message.returned) continue;
      if (message.exchange !== fields.exchange || message.routingKey !== fields.routingKey) continue;
      message.returned = true;
      return;
    }
  }

  async #open(): Promise<void> {
    if (this.#opening || this.#channel || this.#closed || this.connection.state === 'disconnected') return;
    this.#opening = true;
    try {
      const channel = await this.connection.confirmChannel();
      this.#attach(channel);
    } catch {
      this.#reopenLater();
    } finally {
      this.#opening = false;
    }
  }

  #attach(channel: ConfirmChannel): void {
    channel.on('return', (message: Message) => this.#markReturned(message));
    channel.on('drain', () => {
      this.#draining = false;
      this.#sendNext();
    });
    channel.on('error', (error: Error) => {
      this.#channelProblem = channelProblemOf(error);
      this.#report(this.#channelProblem);
    });
    channel.on('close', () => (this.#channel === channel ? this.#loseChannel() : this.#reopenLater()));
    if (this.#closed) return void channel.close().catch(() => undefined);
    this.#channel = channel;
    this.#channelProblem = undefined;
    this.#draining = false;
    this.#tick();
  }

  /** Does nothing if the next `connected` opens a channel first. */
  #reopenLater(): void {
    setTimeout(() => void this.#open(), REOPEN_DELAY).unref();
  }

  #loseChannel(): void {
    this.#abandon(this.#channelProblem ?? 'the channel was closed');
    this.#reopenLater();
  }

  #report(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.options.onProblem?.(problem);
  }

  /** Abandons the channel with all messages that are in flight or queued. */
  #abandon(reason: string): void {
    this.#channel = undefined;
    this.#wasReady = false;
    const abandoned = [...this.#inFlight];
    this.#inFlight.clear();
    for (const message of abandoned) message.reject(unknownOutcomeOf(message, reason));
    this.#rejectWaiting(reason);
  }

  #rejectWaiting(reason: string): void {
    for (const message of this.#waiting.splice(0)) {
      message.reject(new BrokerUnavailable(`${nameOf(message)} was not sent: ${reason}`));
    }
  }

  #whyAway(): string {
    const { state } = this.connection;
    return state === 'connected' ? 'the channel to RabbitMQ is not open' : `RabbitMQ is ${state}`;
  }

  #tick(): void {
    const now = performance.now();
    // After a pause of the process, confirms that arrived meanwhile are still unread; so a pause counts as two ticks at most.
    const passed = Math.min(now - this.#tickedAt, 2 * TICK);
    this.#tickedAt = now;
    if (this.connection.state !== 'blocked') this.#clock += passed;
    const [oldest] = this.#inFlight;
    if (oldest && this.#clock - oldest.sentAt > this.#confirmTimeout) {
      const channel = this.#channel;
      this.#abandon(`no confirm within ${this.#confirmTimeout} ms`);
      if (channel) void closeChannel(channel);
    }
    if (!this.isReady) this.#rejectWaiting(this.#whyAway());
    const becameReady = this.isReady && !this.#wasReady;
    this.#wasReady = this.isReady;
    if (becameReady) for (const listener of this.#readyListeners) listener();
    this.#watchConfirms(oldest);
    // The broker may have been blocked for a moment between two ticks.
    this.#sendNext();
  }

  /** Asks on a channel of its own, because a queue that takes no messages can hold up the channel of its publisher. */
  async #probe(): Promise<void> {
    this.#probedAt = this.#clock;
    const channel = await this.connection.confirmChannel();
    channel.on('error', () => undefined);
    channel.publish('', PROBE, Buffer.alloc(0), {}, (error: Error | null) => {
      if (!error) this.#answeredAt = this.#clock;
    });
    await waitAtMost(PROBE_INTERVAL, channel.waitForConfirms());
    await closeChannel(channel);
  }

  /** Detects stalls. If the broker confirms a probe but not the oldest message, one of its queues is the cause. */
  #watchConfirms(oldest: InFlightMessage | undefined): void {
    const isSilent = this.#clock - this.#answeredAt >= PROBE_INTERVAL;
    if (this.isReady && !isSilent && this.#inFlight.size === 0) this.#answeredAt = this.#clock;
    else if (this.connection.state === 'connected' && isSilent && this.#clock - this.#probedAt >= PROBE_INTERVAL)
      // It fails with its connection.
      this.#probe().catch(() => undefined);
    if (oldest && this.#clock - oldest.sentAt >= STALL_AGE && this.#answeredAt > oldest.sentAt)
      this.#unconfirmed ??= { message: oldest, since: oldest.sentAt, sentAt: oldest.sentAt };
    // It is no longer resent, because another process has its slot; nor is another message unconfirmed on the next channel.
    else if (this.#unconfirmed && this.#clock - this.#unconfirmed.sentAt > this.#confirmTimeout + 2 * STALL_AGE)
      this.#unconfirmed = undefined;
    const { stall } = this;
    if (stall && !this.#wasStalled && this.isReady) this.options.onProblem?.(stall.reason);
    this.#wasStalled = stall !== undefined && (this.#wasStalled || this.isReady);
  }
}

/** Returns why a message may have no confirm. The broker confirms it once every matching queue has it, and never says which has not. */
const causeOf = ({ exchange, routingKey }: AddressedMessage): string =>
  exchange === ''
    ? `queue ${routingKey} takes no messages`
    : `${EVENT_LOG}, or a queue of a subscriber, takes no events. Run keyfold topology diff`;

const nameOf = ({ properties }: AddressedMessage): string => properties.messageId ?? 'a message without id';

/** Returns why the broker refused a message: no queue matched it, or a queue rejected it. */
function refusalReasonOf({ exchange, routingKey, returned }: InFlightMessage): string {
  if (returned)
    return exchange === '' ? `there is no queue ${routingKey}` : `no queue is bound for ${routingKey}: ${APPLY_ADVICE}`;
  return exchange === '' ? `queue ${routingKey} refuses messages` : 'a queue refuses messages; it may be full';
}

/** Returns the error for a message that may have arrived. */
const unknownOutcomeOf = (message: AddressedMessage, reason: string): BrokerUnavailable =>
  new BrokerUnavailable(`it is unknown whether ${nameOf(message)} arrived: ${reason}`);
