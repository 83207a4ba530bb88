import { connect, type Channel, type ConfirmChannel, type RecoveringChannelModel } from 'amqplib';
import { hostname } from 'node:os';
import { BrokerUnavailable } from '../messaging.errors.js';

/** `blocked`: connected, and the broker takes no messages for lack of memory or disk. */
export type BrokerState = 'connected' | 'blocked' | 'disconnected';

export type BrokerConnectionOptions = Readonly<{
  /** What the connection is for; the broker's own listings show it. One that publishes must not be one that consumes. */
  role: 'publisher' | 'consumer' | 'operator';
  /** Called with each change, and with the reason where there is one. */
  onState?(state: BrokerState, reason?: string): void;
}>;

/** Seconds; a half-open connection is found after two of them. */
const HEARTBEAT = 10;
/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;
const RECOVERY = { initialDelay: 200, maxDelay: 5_000, jitter: 0.5, waitForConnect: false };

/**
 * One connection to RabbitMQ that comes back by itself. Channels, consumers and messages that were not confirmed do not come back:
 * whoever owns them makes them anew when `onConnected` calls.
 */
export class BrokerConnection {
  #state: BrokerState = 'disconnected';
  readonly #connected = new Set<() => void>();

  private constructor(
    private readonly model: RecoveringChannelModel,
    private readonly options: BrokerConnectionOptions,
  ) {
    model.on('connect', () => {
      this.#enter('connected');
      for (const listener of this.#connected) listener();
    });
    model.on('blocked', (reason: string) => this.#enter('blocked', reason));
    model.on('unblocked', () => this.#enter('connected'));
    model.on('disconnect', (error: Error) => this.#enter('disconnected', error.message));
    model.on('connect-failed', (error: Error) => this.#enter('disconnected', error.message));
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
    return new BrokerConnection(model, options);
  }

  get state(): BrokerState {
    return this.#state;
  }

  /** Calls `listener` after every connect; answers what ends it. */
  onConnected(listener: () => void): () => void {
    this.#connected.add(listener);
    return () => this.#connected.delete(listener);
  }

  /** A channel of the connection that is up now. Throws `BrokerUnavailable` when none is. */
  channel(): Promise<Channel> {
    return this.#opened(() => this.model.createChannel());
  }

  confirmChannel(): Promise<ConfirmChannel> {
    return this.#opened(() => this.model.createConfirmChannel());
  }

  async close(): Promise<void> {
    await this.model.close();
    this.#state = 'disconnected';
  }

  async #opened<Opened>(open: () => Promise<Opened>): Promise<Opened> {
    if (this.#state === 'disconnected') throw new BrokerUnavailable('there is no connection to RabbitMQ');
    try {
      return await open();
    } catch (error) {
      throw new BrokerUnavailable(`RabbitMQ gives no channel: ${String(error)}`, { cause: error });
    }
  }

  #enter(state: BrokerState, reason?: string): void {
    this.#state = state;
    this.options.onState?.(state, reason);
  }
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT));
  return parsed.toString();
}
