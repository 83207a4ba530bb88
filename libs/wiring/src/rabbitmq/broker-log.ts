import type { BrokerState } from '@keyfold/messaging/rabbitmq';

type Log = Readonly<{ log(text: string): void; warn(text: string): void }>;

/** Logs one line when RabbitMQ becomes unavailable, blocked or available, although several connections notice it. */
export class BrokerLog {
  readonly #states = new Map<string, BrokerState | undefined>();
  #logged: BrokerState | undefined;

  /** `connections` are the names of the connections that report their states. */
  constructor(
    private readonly host: string,
    private readonly log: Log,
    connections: readonly string[],
  ) {
    for (const name of connections) this.#states.set(name, undefined);
  }

  /** Reports the state of a connection. */
  report(connection: string, state: BrokerState, reason?: string): void {
    this.#states.set(connection, state);
    const whole = this.#whole();
    if (whole === undefined || whole === this.#logged) return;
    this.#logged = whole;
    const because = reason === undefined ? '' : `: ${reason}`;
    if (whole === 'connected') this.log.log(`connected to RabbitMQ at ${this.host}`);
    else if (whole === 'blocked') this.log.warn(`RabbitMQ at ${this.host} blocks publishers${because}`);
    else this.log.warn(`RabbitMQ at ${this.host} is unavailable, events stay in the store${because}`);
  }

  /** Returns the worst state; undefined while some connections have not reported and none is down. */
  #whole(): BrokerState | undefined {
    const states = [...this.#states.values()];
    if (states.includes('disconnected')) return 'disconnected';
    if (states.includes(undefined)) return undefined;
    return states.includes('blocked') ? 'blocked' : 'connected';
  }
}
