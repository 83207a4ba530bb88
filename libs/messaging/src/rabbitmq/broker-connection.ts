import './readable-headers.js';
import { connect, type Channel, type ConfirmChannel, type RecoveringChannelModel } from 'amqplib';
import { reasonOf } from '@keyfold/event-store';
import { hostname } from 'node:os';
import { BrokerUnavailable } from '../messaging.errors.js';
import { waitAtMost } from '../wait-at-most.js';
import { vhostOf } from './topology/management.js';

/** `blocked`: connected, and the broker takes no messages for lack of memory or disk. */
export type BrokerState = 'connected' | 'blocked' | 'disconnected';

/** What a connection is for and who hears how it is. */
export type BrokerConnectionOptions = Readonly<{
  /** What the connection is for; the broker's own listings show it. One that publishes must not be one that consumes. */
  role: 'publisher' | 'consumer' | 'operator';
  /** Called with each change and with each new reason, never after `close`. No reason contains the password. */
  onState?(state: BrokerState, reason?: string): void;
}>;

/** Seconds; a half-open connection is found after two of them. The address may say another number (`?heartbeat=`). */
const HEARTBEAT = 10;
/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds that a broker may take to say goodbye. */
const CLOSE_TIMEOUT = 1_000;
const RECOVERY = { initialDelay: 200, maxDelay: 5_000, jitter: 0.5, waitForConnect: false };

/**
 * One connection to RabbitMQ that comes back by itself. Channels, consumers and messages that were not confirmed do not come back:
 * whoever owns them makes them anew when `onConnected` calls.
 */
export class BrokerConnection {
  #state: BrokerState = 'disconnected';
  #reason: string | undefined;
  #closed = false;
  readonly #connected = new Set<() => void>();

  private constructor(
    private readonly model: RecoveringChannelModel,
    vhost: string,
    private readonly options: BrokerConnectionOptions,
  ) {
    model.on('connect', () => {
      this.#enter('connected');
      if (this.#closed) return;
      for (const listener of this.#connected) listener();
    });
    model.on('blocked', (reason: string) => this.#enter('blocked', reason));
    model.on('unblocked', () => this.#enter('connected'));
    model.on('disconnect', (error: Error) => this.#enter('disconnected', reasonOf(error)));
    model.on('connect-failed', (error: Error) => this.#enter('disconnected', connectFailureOf(error, vhost)));
    // Without a listener it would end the process; the disconnect that follows says the same.
    model.on('error', () => undefined);
  }

  /** Begins to connect and goes on trying until `close`; never fails for a broker that is away. */
  static async open(url: string, options: BrokerConnectionOptions): Promise<BrokerConnection> {
    const model = await connect(withHeartbeat(url), {
      noDelay: true,
      keepAlive: true,
      timeout: CONNECT_TIMEOUT,
      clientProperties: { connection_name: `keyfold ${options.role} ${hostname()}:${process.pid}` },
      recovery: RECOVERY,
    });
    return new BrokerConnection(model, vhostOf(url), options);
  }

  get state(): BrokerState {
    return this.#state;
  }

  /** Calls `listener` after every connect; answers what ends it. */
  onConnected(listener: () => void): () => void {
    this.#connected.add(listener);
    return () => this.#connected.delete(listener);
  }

  /** Why there is no connection, or why it is blocked. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * A channel of the connection that is up now. A refusal ends the channel and never the connection: what was asked for rejects, and the
   * channel emits `close`.
   *
   * @throws BrokerUnavailable there is no connection, or it ended meanwhile
   */
  channel(): Promise<Channel> {
    return this.#opened(() => this.model.createChannel());
  }

  confirmChannel(): Promise<ConfirmChannel> {
    return this.#opened(() => this.model.createConfirmChannel());
  }

  /** Ends the connection and its tries, also while it is blocked or the broker does not answer. Repeating it does nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#state = 'disconnected';
    this.#connected.clear();
    await waitAtMost(CLOSE_TIMEOUT, this.model.close());
  }

  async #opened<Opened extends Channel>(open: () => Promise<Opened>): Promise<Opened> {
    if (this.#state === 'disconnected') throw new BrokerUnavailable(`there is no connection to RabbitMQ${this.#why()}`);
    try {
      const channel = await open();
      // An error of a channel that nobody listens to would end the whole connection.
      channel.on('error', () => undefined);
      return channel;
    } catch (error) {
      throw new BrokerUnavailable(`RabbitMQ gives no channel: ${reasonOf(error)}`, { cause: error });
    }
  }

  #why(): string {
    return this.#reason === undefined ? '' : `: ${this.#reason}`;
  }

  #enter(state: BrokerState, reason?: string): void {
    if (this.#closed || (state === this.#state && reason === this.#reason)) return;
    this.#state = state;
    this.#reason = reason;
    this.options.onState?.(state, reason);
  }
}

/** The library does not pass on why a virtual host is refused. */
const connectFailureOf = (error: Error, vhost: string) =>
  error.message.startsWith('Expected ConnectionOpenOk')
    ? `there is no virtual host ${vhost}, or the user may not use it`
    : reasonOf(error);

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT));
  return parsed.toString();
}
