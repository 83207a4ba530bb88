import type { BrokerState } from '@keyfold/messaging/rabbitmq';

type Log = Readonly<{ log(text: string): void; warn(text: string): void }>;

/** Writes one line when RabbitMQ goes away, comes back or takes no messages, although several connections notice. */
export class BrokerLog {
  readonly #states = new Map<string, BrokerState | undefined>();
  #told: BrokerState | undefined;

  /** `connections` are the names of those that will tell. */
  constructor(
    private readonly host: string,
    private readonly log: Log,
    connections: readonly string[],
  ) {
    for (const name of connections) this.#states.set(name, undefined);
  }

  tell(connection: string, state: BrokerState, reason?: string): void {
    this.#states.set(connection, state);
    const whole = this.#whole();
    if (whole === undefined || whole === this.#told) return;
    this.#told = whole;
    const because = reason === undefined ? '' : `: ${reason}`;
    if (whole === 'connected') this.log.log(`connected to RabbitMQ at ${this.host}`);
    else if (whole === 'blocked') this.log.warn(`RabbitMQ at ${this.host} takes no messages for now${because}`);
    else this.log.warn(`RabbitMQ at ${this.host} is away, events wait in the store${because}`);
  }

  /** The worst of all; undefined before all have told or one is away. */
  #whole(): BrokerState | undefined {
    const states = [...this.#states.values()];
    if (states.includes('disconnected')) return 'disconnected';
    if (states.includes(undefined)) return undefined;
    return states.includes('blocked') ? 'blocked' : 'connected';
  }
}
