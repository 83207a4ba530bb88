import { reasonOf } from '@keyfold/event-store';
import type { ConfirmChannel, Message } from 'amqplib';
import { BrokerUnavailable, MessageRefused, UnsendableMessage } from '../messaging.errors.js';
import { EventPublisher, type OutgoingMessage } from '../relay/event-publisher.js';
import type { BrokerConnection } from './broker-connection.js';
import { closeChannel } from './close-channel.js';
import { propertiesOf } from './message-properties.js';
import { MessagesInFlight, type InFlight, type Sending } from './messages-in-flight.js';

/** Where a publisher sends and what it waits for. Times in milliseconds; 10 s and 500 messages unless told otherwise. */
export type RabbitMqPublisherOptions = Readonly<{
  /** The exchange of `publish`. */
  exchange: string;
  /** Program and version, for whoever looks at a message: `keyfold/1.0.0`. */
  appId: string;
  /** How long the broker may take to confirm; not counted while it is blocked. */
  confirmMilliseconds?: number;
  /** Messages that were sent and not confirmed, at most; who comes then waits in line. */
  window?: number;
  /** Hears why messages are not taken although there is a connection, each reason once until one is taken. */
  onProblem?(problem: string): void;
}>;

const CONFIRM_TIMEOUT = 10_000;
/** Beyond some hundred, a broker confirms no more a second; each only costs latency and duplicates. */
const WINDOW = 500;
/** Bytes; what RabbitMQ 4 takes (`max_message_size`); 3.10 takes 128 MiB. A larger one closes the channel. */
const LARGEST_BODY = 16 * 1024 * 1024;
/** Between a channel that the broker closed and the next one, in milliseconds. */
const REOPEN_AFTER = 500;
const TICK = 100;
/** What amqplib 2.3 answers for a nack; everything else means that the channel is gone. */
const NACKED = 'message nacked';

/**
 * Publishes over one confirm channel, which is made anew when it closes. Nothing is sent while the broker takes no messages, and what
 * was sent before then waits for its confirm as long as the connection lasts: so an alarm of the broker makes no duplicates.
 */
export class RabbitMqPublisher extends EventPublisher {
  readonly #window: number;
  readonly #confirmMilliseconds: number;
  readonly #ready = new Set<() => void>();
  readonly #inFlight = new MessagesInFlight();
  readonly #waiting: Sending[] = [];
  #channel: ConfirmChannel | undefined;
  #opening = false;
  #draining = false;
  #closed = false;
  #wasReady = false;
  #problem: string | undefined;
  /** Milliseconds during which this process ran and the broker was not blocked. */
  #clock = 0;
  #tickedAt = performance.now();
  readonly #ticking: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(
    private readonly connection: BrokerConnection,
    private readonly options: RabbitMqPublisherOptions,
  ) {
    super();
    this.#window = options.window ?? WINDOW;
    this.#confirmMilliseconds = options.confirmMilliseconds ?? CONFIRM_TIMEOUT;
    this.#stopListening = connection.onConnected(() => {
      // A channel is of one connection, whether or not it has said that it ended.
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

  onReady(listener: () => void): () => void {
    this.#ready.add(listener);
    return () => this.#ready.delete(listener);
  }

  publish(message: OutgoingMessage): Promise<void> {
    return this.#submit({ exchange: this.options.exchange, routingKey: message.type }, message);
  }

  publishTo(queue: string, message: OutgoingMessage): Promise<void> {
    return this.#submit({ exchange: '', routingKey: queue }, message);
  }

  /** Sends nothing more; what is in flight is given up. The connection stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    clearInterval(this.#ticking);
    const channel = this.#channel;
    this.#abandon('the publisher was closed');
    if (channel) await closeChannel(channel);
  }

  #submit(destination: Pick<Sending, 'exchange' | 'routingKey'>, message: OutgoingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (message.body.length > LARGEST_BODY) {
        return reject(new UnsendableMessage(`${message.id} has ${message.body.length} bytes`));
      }
      if (!this.isReady) return reject(new BrokerUnavailable(`RabbitMQ is ${this.connection.state}`));
      this.#waiting.push({ ...destination, message, resolve, reject });
      this.#sendNext();
    });
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#inFlight.size < this.#window && !this.#draining && this.isReady) {
      const sending = this.#waiting.shift();
      if (sending) this.#send(sending);
    }
  }

  #send(sending: Sending): void {
    const channel = this.#channel;
    if (!channel) return sending.reject(new BrokerUnavailable('there is no channel'));
    const { exchange, routingKey, message } = sending;
    const inFlight: InFlight = { ...sending, sentAt: this.#clock };
    try {
      const answered = (error: Error | null) => this.#answered(inFlight, error);
      this.#draining = !channel.publish(
        exchange,
        routingKey,
        message.body,
        propertiesOf(message, this.options.appId),
        answered,
      );
      this.#inFlight.add(inFlight);
    } catch (error) {
      // A channel that has just closed says so; anything else comes from encoding the message and would come again.
      const gone = error instanceof Error && error.name === 'IllegalOperationError';
      if (gone) this.#lose();
      const Failure = gone ? BrokerUnavailable : UnsendableMessage;
      sending.reject(new Failure(`${message.id} cannot be sent: ${reasonOf(error)}`, { cause: error }));
    }
  }

  #answered(sending: InFlight, error: Error | null): void {
    if (!this.#inFlight.remove(sending)) return;
    const { message, returned } = sending;
    if (returned !== undefined) {
      this.#tell(`no queue takes ${message.type}: ${returned}`);
      sending.reject(new MessageRefused(`${message.id} was returned: ${returned}`));
    } else if (!error) {
      this.#problem = undefined;
      sending.resolve();
    } else if (error.message === NACKED) {
      this.#tell('a queue refuses messages, that of a subscriber perhaps, because it is full');
      sending.reject(new MessageRefused(`the broker refused ${message.id}`));
    } else sending.reject(new BrokerUnavailable(`nobody knows whether ${message.id} arrived: ${reasonOf(error)}`));
    this.#sendNext();
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
    channel.on('return', (message: Message) => this.#inFlight.returned(message));
    channel.on('drain', () => {
      this.#draining = false;
      this.#sendNext();
    });
    channel.on('error', (error: Error) => this.#tell(reasonOf(error)));
    channel.on('close', () => {
      if (this.#channel === channel) this.#lose();
      else this.#reopenLater();
    });
    if (this.#closed) return void channel.close().catch(() => undefined);
    this.#channel = channel;
    this.#draining = false;
    this.#tick();
  }

  /** When the connection is gone, its next `connected` opens a channel sooner or later than this. */
  #reopenLater(): void {
    setTimeout(() => void this.#open(), REOPEN_AFTER).unref();
  }

  #lose(): void {
    this.#abandon('the channel was closed');
    this.#reopenLater();
  }

  #tell(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.options.onProblem?.(problem);
  }

  /** Gives up the channel and all that was or would have been sent over it. */
  #abandon(reason: string): void {
    this.#channel = undefined;
    this.#wasReady = false;
    this.#inFlight.abandon(reason);
    this.#refuseWaiting(reason);
  }

  #refuseWaiting(reason: string): void {
    for (const { message, reject } of this.#waiting.splice(0)) {
      reject(new BrokerUnavailable(`${message.id} was not sent: ${reason}`));
    }
  }

  #tick(): void {
    const now = performance.now();
    // A process that was stopped for a while has not yet read the confirms that came meanwhile.
    const passed = Math.min(now - this.#tickedAt, 2 * TICK);
    this.#tickedAt = now;
    if (this.connection.state !== 'blocked') this.#clock += passed;
    const { oldest } = this.#inFlight;
    if (oldest && this.#clock - oldest.sentAt > this.#confirmMilliseconds) this.#giveUpOnChannel();
    if (!this.isReady) this.#refuseWaiting(`RabbitMQ is ${this.connection.state}`);
    this.#sayWhetherReady();
    // The broker may have been blocked for a moment between two ticks.
    this.#sendNext();
  }

  #giveUpOnChannel(): void {
    const channel = this.#channel;
    this.#abandon(`no confirm within ${this.#confirmMilliseconds} ms`);
    if (channel) void closeChannel(channel);
  }

  #sayWhetherReady(): void {
    const became = this.isReady && !this.#wasReady;
    this.#wasReady = this.isReady;
    if (became) for (const listener of this.#ready) listener();
  }
}
