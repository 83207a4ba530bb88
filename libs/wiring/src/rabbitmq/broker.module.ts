import { Logger, Module, type DynamicModule } from '@nestjs/common';
import {
  applyTopology,
  BrokerConnection,
  checkTopology,
  isOpen,
  Management,
  vhostOf,
  type Broker,
  type BrokerState,
  type ChannelSource,
  type Finding,
} from '@keyfold/messaging/rabbitmq';
import { BrokerConnections, type BrokerModuleSettings, type BrokerOptions } from './broker.js';
import { TopologyWatch, type Log, type TopologyCheck } from './topology-watch.js';

const log = new Logger('RabbitMQ');

@Module({})
export class BrokerModule {
  /**
   * Provides `BrokerConnections` and `TopologyWatch`. The startup does not wait for RabbitMQ, which may be unavailable
   * for any time.
   */
  static forRoot(settings: BrokerModuleSettings, options: BrokerOptions = {}): DynamicModule {
    return {
      module: BrokerModule,
      providers: [
        { provide: BrokerConnections, useFactory: () => openConnections(settings.KEYFOLD_RABBITMQ_URL) },
        {
          provide: TopologyWatch,
          inject: [BrokerConnections],
          useFactory: ({ consumer }: BrokerConnections) =>
            new TopologyWatch(consumer, topologyCheck(consumer, settings, options), log),
        },
      ],
      exports: [BrokerConnections, TopologyWatch],
    };
  }
}

async function openConnections(url: string): Promise<BrokerConnections> {
  const { host } = new URL(url);
  const states = new BrokerLog(host, log, ['publisher', 'consumer']);
  const open = (role: 'publisher' | 'consumer') =>
    BrokerConnection.open(url, { role, onState: (state, reason) => states.report(role, state, reason) });
  const [publisher, consumer] = await Promise.all([open('publisher'), open('consumer')]);
  return new BrokerConnections(publisher, consumer, host);
}

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

/**
 * Returns the topology check of a process. If the process may apply the topology, the first check creates all of it, and later ones
 * recreate missing parts.
 */
function topologyCheck(channels: ChannelSource, settings: BrokerModuleSettings, options: BrokerOptions): TopologyCheck {
  if (!options.applyTopology) return () => checkTopology(channels);
  let complete = false;
  return async () => {
    if (complete && (await checkTopology(channels)).length === 0) return [];
    logFindings(await applied(channels, settings));
    const missing = await checkTopology(channels);
    complete = missing.length === 0;
    return missing;
  };
}

/** Applies the topology over AMQP first: messages flow without the management API, so they do not wait for it. */
async function applied(channels: ChannelSource, settings: BrokerModuleSettings): Promise<readonly Finding[]> {
  const { KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl } = settings;
  const broker: Broker = { channels, vhost: vhostOf(url), eventLogDays: settings.KEYFOLD_EVENT_LOG_DAYS };
  const findings = await applyTopology(broker);
  if (managementUrl === undefined) return findings;
  const created = findings.filter(({ state }) => state === 'created');
  return [...created, ...(await applyTopology({ ...broker, management: new Management(managementUrl, url) }))];
}

/** Differences are only logged, because they do not prevent messages from flowing. */
function logFindings(findings: readonly Finding[]): void {
  const created = findings.filter(({ state }) => state === 'created').map(({ object }) => object);
  if (created.length > 0) log.log(`created ${created.join(', ')}`);
  for (const { object, detail } of findings.filter(({ state }) => state === 'changed'))
    log.log(`changed ${object}: ${detail ?? ''}`);
  for (const { object, state, detail } of findings.filter(isOpen)) log.warn(`${object} is ${state}: ${detail ?? ''}`);
  const unknown = findings.find(({ object, state }) => state === 'unknown' && object.includes('policy'));
  if (!unknown) return;
  const [reason] = unknown.detail?.split('\n') ?? [];
  const risk = 'without them, a full queue of one subscriber blocks the events of all. Run keyfold topology diff';
  log.warn(`cannot set policies: ${reason}; ${risk}`);
}
