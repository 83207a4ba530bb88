import { eventStoreSchema, SqliteEventStore, SqliteFile } from '@keyfold/event-store/sqlite';
import type { CommitFeed, EventStore } from '@keyfold/event-store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { EventSubscriber } from '../support/rabbitmq/event-subscriber.js';
import { vhostUrl } from '../support/rabbitmq/fresh-broker.js';
import { managementApi } from '../support/rabbitmq/management-api.js';
import type { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { StoreInspection } from '../support/scaled-check.js';
import { SCALED_SETTINGS, ScaledProcess } from '../support/scaled-process.js';
import { migrate } from '../support/scaled-service.js';
import { EventAudit } from './event-audit.js';

/** Seconds between signs of life; a broker without any for twice as long is away. Other services keep the default. */
const QUICK_HEARTBEAT = '?heartbeat=2';

type Opened = Readonly<{ store: EventStore & CommitFeed; close: () => Promise<void> }>;

/** A service that publishes to a virtual host of its own, and a subscriber there that has heard of every event. None runs at first. */
export class PublishingService {
  readonly #audit: EventAudit;

  private constructor(
    readonly name: string,
    /** What serves the API. */
    readonly api: ScaledProcess,
    /** What publishes, where that is another process. */
    readonly worker: ScaledProcess | undefined,
    private readonly subscriber: EventSubscriber,
    private readonly openStore: () => Promise<Opened>,
    private readonly cleanUp: () => Promise<void>,
  ) {
    this.#audit = new EventAudit(subscriber);
  }

  /** One process on the embedded store. */
  static async standalone(broker: RabbitmqNode): Promise<PublishingService> {
    const { env, subscriber } = await virtualHost(broker, 'standalone');
    const folder = await mkdtemp(join(tmpdir(), 'keyfold-outage-'));
    const settings = { ...SCALED_SETTINGS, KEYFOLD_STORE: 'sqlite', KEYFOLD_DATA_DIR: folder, ...env };
    const process = await ScaledProcess.create('standalone', 'standalone', settings);
    const openStore = async () => {
      const store = new SqliteEventStore(new SqliteFile(join(folder, 'keyfold.db'), eventStoreSchema));
      return { store, close: () => store.close() };
    };
    const cleanUp = () => rm(folder, { recursive: true, force: true });
    return new PublishingService('standalone', process, undefined, subscriber, openStore, cleanUp);
  }

  /** A gateway and a worker on MongoDB. */
  static async scaled(broker: RabbitmqNode): Promise<PublishingService> {
    const { env, subscriber } = await virtualHost(broker, 'scaled', QUICK_HEARTBEAT);
    const uri = freshDatabaseUri();
    await migrate(uri);
    const settings = { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri, KEYFOLD_LEASE_SECONDS: '2', ...env };
    const gateway = await ScaledProcess.create('gateway', 'gateway', settings);
    const worker = await ScaledProcess.create('worker', 'worker', settings);
    const openStore = async () => {
      const inspection = await StoreInspection.open(uri);
      return { store: inspection.events, close: () => inspection.close() };
    };
    return new PublishingService('scaled', gateway, worker, subscriber, openStore, async () => undefined);
  }

  get client(): ApiClient {
    return new ApiClient(this.api.baseUrl);
  }

  /** How many events arrived. */
  get heard(): number {
    return this.subscriber.count;
  }

  /** Starts the processes that do not run, and waits for the API only. */
  async startWithoutBroker(): Promise<void> {
    for (const each of this.#processes) if (!each.isRunning) each.spawn();
    await this.api.untilReady();
  }

  /** Asks all processes to end and answers their exit codes. */
  stop(): Promise<(number | null)[]> {
    return Promise.all(this.#processes.map((each) => each.stop()));
  }

  async areAllReady(): Promise<boolean> {
    const answers = await Promise.all(this.#processes.map((each) => each.readiness()));
    return answers.every((answer) => answer?.code === 200);
  }

  /** In what the events that arrived differ from what is in the store, once all have had time to arrive. */
  async violations(): Promise<string[]> {
    const { store, close } = await this.openStore();
    try {
      return await this.#audit.check(store);
    } finally {
      await close();
    }
  }

  output(): string {
    return this.#processes.map((each) => each.output()).join('\n---\n');
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
    await this.subscriber.close();
    await this.cleanUp();
  }

  get #processes(): ScaledProcess[] {
    return this.worker ? [this.api, this.worker] : [this.api];
  }
}

/** A virtual host with the topology and with a queue for every event. */
async function virtualHost(broker: RabbitmqNode, name: string, query = '') {
  const api = managementApi(broker.managementUrl);
  await api('PUT', `/vhosts/${name}`);
  await api('PUT', `/permissions/${name}/guest`, { configure: '.*', write: '.*', read: '.*' });
  const url = vhostUrl(broker.url, name);
  const applied = await keyfold({ KEYFOLD_RABBITMQ_URL: url }, 'topology', 'apply');
  if (applied.status !== 0) throw new Error(`topology apply: ${applied.out}${applied.err}`);
  return {
    env: { KEYFOLD_RABBITMQ_URL: `${url}${query}` },
    subscriber: await EventSubscriber.open(url),
  };
}
