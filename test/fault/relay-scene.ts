import {
  eventStoreModels,
  feedModels,
  migrateSchema,
  MongoEventStore,
  MongoFeedLeases,
} from '@keyfold/event-store/mongo';
import { MessageOutlet, Relay, relayName } from '@keyfold/messaging';
import { messagesOf } from '@keyfold/messaging/events';
import { messagingModels, MongoParkedAccounts } from '@keyfold/messaging/mongo';
import { applyTopology, BrokerConnection, EVENTS_EXCHANGE, RabbitMqPublisher } from '@keyfold/messaging/rabbitmq';
import { expect, onTestFinished, vi } from 'vitest';
import { freshDatabase } from '../support/mongo/mongo-database.js';
import type { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { brokerFaults, type BrokerFault, type Stage } from './broker-faults.js';
import { EventFlow, publicEventIds } from './event-flow.js';
import { differences, EventListener } from './event-listener.js';

export const ACCOUNTS = 200;
/** Seconds. A stalled connection is closed after two heartbeats. */
const HEARTBEAT = 1;
/** The maximum number of messages in flight, each of which a fault may duplicate. */
export const WINDOW = 500;
const LEASE = 3_000;
const POLL = { timeout: 180_000, interval: 20 };

export type Running = Readonly<{ relay: Relay; outlet: MessageOutlet; connection: BrokerConnection }>;

/** A store with a flow of events, a broker with a subscriber, and relays between them over a failing network. */
export class RelayScene {
  /** Every relay that was ever started. */
  readonly relays: Running[] = [];
  readonly errors: unknown[] = [];
  readonly parked: unknown[] = [];

  private constructor(
    readonly store: MongoEventStore,
    readonly leases: MongoFeedLeases,
    readonly parkedRelays: MongoParkedAccounts,
    readonly flow: EventFlow,
    readonly stage: Stage,
    private readonly running: Set<Running>,
  ) {}

  static async open(node: RabbitmqNode, queue: string, random: () => number): Promise<RelayScene> {
    const database = await freshDatabase();
    await migrateSchema(database, [
      ...eventStoreModels(database),
      ...feedModels(database),
      ...messagingModels(database),
    ]);
    const store = new MongoEventStore(database);
    onTestFinished(() => store.close());
    const proxy = await TcpProxy.start(node.port);
    onTestFinished(() => proxy.close());
    const operator = await BrokerConnection.open(node.url, { role: 'operator' });
    onTestFinished(() => operator.close());
    await subscribe(operator, queue);
    const listener = await EventListener.open(node.url, queue);
    onTestFinished(() => listener.close());
    const running = new Set<Running>();
    const stage: Stage = {
      node,
      proxy,
      operator,
      listener,
      queue,
      connections: () => [...running].map(({ connection }) => connection),
      refused: () => [...running].reduce((sum, { outlet }) => sum + outlet.refused, 0),
    };
    const flow = new EventFlow(store, ACCOUNTS, random);
    const [leases, parked] = [new MongoFeedLeases(database), new MongoParkedAccounts(database, 'parked_relays')];
    return new RelayScene(store, leases, parked, flow, stage, running);
  }

  /** Starts a relay as a separate process would. */
  async startRelay(): Promise<Running> {
    const url = `${this.stage.proxy.through(this.stage.node.url)}?heartbeat=${HEARTBEAT}`;
    const connection = await BrokerConnection.open(url, { role: 'publisher' });
    const publisher = new RabbitMqPublisher(connection, {
      exchange: EVENTS_EXCHANGE,
      appId: 'keyfold/test',
      window: WINDOW,
    });
    const outlet = new MessageOutlet(publisher, messagesOf);
    const relay = new Relay(this.store, outlet, this.leases, this.parkedRelays, {
      onError: (error) => this.errors.push(error),
      onParked: (record) => this.parked.push(record),
      leaseMilliseconds: LEASE,
    });
    const running = { relay, outlet, connection };
    onTestFinished(async () => {
      await relay.stop();
      await publisher.close();
      await connection.close();
    });
    relay.start();
    this.relays.push(running);
    this.running.add(running);
    return running;
  }

  async stopRelay(running: Running): Promise<void> {
    await running.relay.stop();
    this.running.delete(running);
  }

  /** Injects the fault while events are appended and waits until all have arrived. Returns the number of duplicates. */
  async inject(fault: BrokerFault, events: number): Promise<number> {
    const { listener } = this.stage;
    const before = listener.repeated;
    try {
      await this.flow.during(events, brokerFaults[fault](this.stage));
      await this.untilAllArrived();
    } catch (cause) {
      throw new Error(`${fault}: ${String(cause)}`, { cause });
    }
    return listener.repeated - before;
  }

  async untilAllArrived(): Promise<void> {
    const { listener } = this.stage;
    await vi
      .waitUntil(() => listener.received >= this.flow.published, POLL)
      .catch(async () => {
        const { lost } = differences(await publicEventIds(this.store), listener);
        throw new Error(`${lost.length} events did not arrive, the first is ${lost[0]}`);
      });
  }

  /** Checks that everything is confirmed, checkpoints are at the heads, and the received events match the store. */
  async expectWhole(): Promise<void> {
    await vi.waitFor(async () => {
      const positions = new Map((await this.leases.progress(relayName)).map(({ slot, position }) => [slot, position]));
      const behind = [...(await this.store.readHeads())].filter(([slot, head]) => (positions.get(slot) ?? 0) !== head);
      expect(behind).toEqual([]);
    }, POLL);
    const expected = await publicEventIds(this.store);
    expect([...expected.values()].flat()).toHaveLength(this.flow.published);
    expect(differences(expected, this.stage.listener)).toEqual({ lost: [], strange: [], outOfOrder: [] });
    expect([...(await this.parkedRelays.all()), ...this.parked]).toEqual([]);
    expect(this.errors).toEqual([]);
  }

  /** Returns how many messages may have been published twice: their outcome was lost, or they were refused. */
  get uncertain(): number {
    return this.relays.reduce((sum, { outlet }) => sum + outlet.retried + outlet.refused, 0);
  }
}

/** Declares the exchange, the log and a durable queue for all events. */
async function subscribe(operator: BrokerConnection, queue: string): Promise<void> {
  await vi.waitUntil(() => operator.state === 'connected', POLL);
  await applyTopology({ channels: operator, vhost: '/' });
  const channel = await operator.channel();
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue(queue, EVENTS_EXCHANGE, '#');
  await channel.close();
}
