import { unlessAborted, waitAtMost } from '@keyfold/concurrency';
import './readable-headers.js';
import { connect, type Channel, type ConfirmChannel, type RecoveringChannelModel } from 'amqplib';
import { reasonOf } from '@keyfold/reporting';
import { hostname } from 'node:os';
import { BrokerUnavailable } from '../../publishing.js';

/** The state of a connection. `blocked`: connected, but the broker accepts no messages because it lacks memory or disk space. */
export type BrokerState = 'connected' | 'blocked' | 'disconnected';

export type BrokerConnectionOptions = Readonly<{
  /** Purpose of the connection, shown in the connection list of the broker. Never publish and consume over the same connection. */
  role: 'publisher' | 'consumer' | 'operator';
  /** Called on each change of the state or its reason, never after `close`. Reasons do not contain the password. */
  onState?(state: BrokerState, reason?: string): void;
}>;

/** Seconds. A half-open connection is detected after two missed heartbeats. `?heartbeat=` in the URL overrides the default. */
const HEARTBEAT = 10;
/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds. */
const CLOSE_TIMEOUT = 1_000;
const RECOVERY = { initialDelay: 200, maxDelay: 5_000, jitter: 0.5, waitForConnect: false };

/**
 * A connection to RabbitMQ that reconnects automatically. Channels, consumers and unconfirmed messages are lost with the old connection;
 * their owners recreate them in `onConnected`.
 */
export class BrokerConnection {
  #state: BrokerState = 'disconnected';
  #reason: string | undefined;
  #closed = false;
  readonly #connectListeners = new Set<() => void>();

  private constructor(
    private readonly model: RecoveringChannelModel,
    vhost: string,
    private readonly options: BrokerConnectionOptions,
  ) {
    model.on('connect', () => {
      this.#enter('connected');
      if (this.#closed) return;
      for (const listener of this.#connectListeners) listener();
    });
    model.on('blocked', (reason: string) => this.#enter('blocked', reason));
    model.on('unblocked', () => this.#enter('connected'));
    model.on('disconnect', (error: Error) => this.#enter('disconnected', reasonOf(error)));
    model.on('connect-failed', (error: Error) => this.#enter('disconnected', connectFailureOf(error, vhost)));
    // Without a listener, the event would crash the process. `disconnect` follows with the same error.
    model.on('error', () => undefined);
  }

  /** Starts to connect and retries until `close`. Does not reject if the broker is unreachable. */
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

  /** Calls `listener` after every connect. Returns a function that removes the listener. */
  onConnected(listener: () => void): () => void {
    this.#connectListeners.add(listener);
    return () => this.#connectListeners.delete(listener);
  }

  /** Waits for the next connect, but at most this long, or until `signal` is aborted. */
  async nextConnect(milliseconds: number, signal = new AbortController().signal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = this.onConnected(resolve);
    await waitAtMost(milliseconds, unlessAborted(signal, promise));
    end();
    resolve();
  }

  /** Why the connection is down or blocked. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * Opens a channel. If the broker refuses an operation, it closes the channel but not the connection: the operation rejects, and the
   * channel emits `close`.
   *
   * @throws BrokerUnavailable there is no connection, or it was lost meanwhile
   */
  channel(): Promise<Channel> {
    return this.#open(() => this.model.createChannel());
  }

  /** Opens a channel with publisher confirms; otherwise as `channel`. */
  confirmChannel(): Promise<ConfirmChannel> {
    return this.#open(() => this.model.createConfirmChannel());
  }

  /** Closes the connection and stops reconnecting, even if the broker is blocked or unresponsive. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#state = 'disconnected';
    this.#connectListeners.clear();
    await waitAtMost(CLOSE_TIMEOUT, this.model.close());
  }

  async #open<Kind extends Channel>(create: () => Promise<Kind>): Promise<Kind> {
    if (this.#state === 'disconnected') {
      const why = this.#reason === undefined ? '' : `: ${this.#reason}`;
      throw new BrokerUnavailable(`not connected to RabbitMQ${why}`);
    }
    try {
      const channel = await create();
      // An unhandled `error` event of a channel would close the whole connection.
      channel.on('error', () => undefined);
      return channel;
    } catch (error) {
      throw new BrokerUnavailable(`cannot open a channel to RabbitMQ: ${reasonOf(error)}`, { cause: error });
    }
  }

  #enter(state: BrokerState, reason?: string): void {
    if (this.#closed || (state === this.#state && reason === this.#reason)) return;
    this.#state = state;
    this.#reason = reason;
    this.options.onState?.(state, reason);
  }
}

/** amqplib does not pass on why the broker refused the virtual host. */
const connectFailureOf = (error: Error, vhost: string) =>
  error.message.startsWith('Expected ConnectionOpenOk')
    ? `virtual host ${vhost} does not exist, or the user may not access it`
    : reasonOf(error);

/** Returns the virtual host of an AMQP URL; `/` if it names none. */
export function vhostOf(amqpUrl: string): string {
  const path = new URL(amqpUrl).pathname;
  return path.length > 1 ? decodeURIComponent(path.slice(1)) : '/';
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT));
  return parsed.toString();
}
