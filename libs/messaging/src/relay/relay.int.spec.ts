import type { CommitFeed, EventStore, FeedLeases } from '@keyfold/event-store';
import { feedModels, migrateSchema, MongoFeedLeases } from '@keyfold/event-store/mongo';
import {
  eventStoreSchema,
  feedPositionsTable,
  SqliteEventStore,
  SqliteFeedLeases,
  SqliteFile,
} from '@keyfold/event-store/sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { freshBroker } from '../../../../test/support/rabbitmq/fresh-broker.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import { appendOne } from '../../../event-store/testing/outcome.js';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { openMongo } from '../../../event-store/testing/open-mongo.js';
import { sharedWriter, temporaryFolder } from '../../../event-store/testing/open-sqlite.js';
import { modelMessagesOf, ModelPublisher } from '../../testing/model-publisher.js';
import { messagingModels, MongoParkedAccounts } from '../mongo/mongo-parked-accounts.js';
import { UnsendableMessage } from '../publishing.js';
import { BrokerConnection } from '../rabbitmq/connection/broker-connection.js';
import { RabbitMqPublisher } from '../rabbitmq/publishing/rabbitmq-publisher.js';
import { parkedAccountsTable, SqliteParkedAccounts } from '../sqlite/sqlite-parked-accounts.js';
import { MessageOutlet, type MessagesOf } from './message-outlet.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';
import { Relay } from './relay.js';

type Stored = Readonly<{ store: EventStore & CommitFeed; leases: FeedLeases; parked: ParkedAccounts }>;

async function openSqliteStore(): Promise<Stored> {
  const sql = `${eventStoreSchema.sql}; ${feedPositionsTable}; ${parkedAccountsTable('parked_relays')}`;
  const file = new SqliteFile(join(temporaryFolder(), 'keyfold.db'), { ...eventStoreSchema, sql }, sharedWriter());
  onTestFinished(() => file.close());
  return {
    store: new SqliteEventStore(file),
    leases: new SqliteFeedLeases(file),
    parked: new SqliteParkedAccounts(file, 'parked_relays'),
  };
}

async function openMongoStore(): Promise<Stored> {
  const { store, connection, close } = await openMongo();
  onTestFinished(close);
  await migrateSchema(connection, [...feedModels(connection), ...messagingModels(connection)]);
  return {
    store,
    leases: new MongoFeedLeases(connection),
    parked: new MongoParkedAccounts(connection, 'parked_relays'),
  };
}

const stores = [
  { name: 'SQLite', open: openSqliteStore },
  { name: 'MongoDB', open: openMongoStore },
];

/** The lag of a relay that has sent everything. */
const NO_LAG = { pendingCommits: 0, oldestPendingAt: undefined };

/** Opens a broker behind a proxy with one subscriber, which records the ids of its messages. */
async function openBroker() {
  const { url } = await freshBroker();
  const proxy = await TcpProxy.start(Number(new URL(url).port || 5672));
  onTestFinished(() => proxy.close());
  const open = async (address: string, role: 'publisher' | 'consumer') => {
    const connection = await BrokerConnection.open(address, { role });
    onTestFinished(() => connection.close());
    await eventually(() => expect(connection.state).toBe('connected'));
    return connection;
  };
  const channel = await (await open(url, 'consumer')).channel();
  await channel.assertExchange('events', 'topic', { durable: true });
  await channel.assertQueue('subscriber', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue('subscriber', 'events', '#');
  const received: string[] = [];
  await channel.consume('subscriber', (message) => message && received.push(message.properties.messageId), {
    noAck: true,
  });
  const newPublisher = async () => {
    const publisher = new RabbitMqPublisher(await open(proxy.through(url), 'publisher'), {
      exchange: 'events',
      appId: 'test',
    });
    onTestFinished(() => publisher.close());
    return publisher;
  };
  return { proxy, channel, received, newPublisher };
}

type Broker = Awaited<ReturnType<typeof openBroker>>;

async function newRelay({ store, leases, parked }: Stored, broker: Broker, messagesOf: MessagesOf = modelMessagesOf) {
  const errors: unknown[] = [];
  const outlet = new MessageOutlet(await broker.newPublisher(), messagesOf);
  const relay = new Relay(store, outlet, leases, parked, {
    onError: (error) => errors.push(error),
    onParked: () => undefined,
    leaseMilliseconds: 3_000,
  });
  onTestFinished(() => relay.stop());
  return { relay, outlet, errors };
}

/** Appends commits of several accounts, those of each account in sequence. Returns the message ids by account. */
async function write(store: EventStore, accounts: number, commits: number, first = 1): Promise<string[][]> {
  const all = Array.from({ length: accounts }, async (_, account) => {
    const ids: string[] = [];
    for (let version = first; version < first + commits; version++) {
      const commit = newCommit(`account-${account}`, version, { partition: `${account}` });
      ids.push(...modelMessagesOf(await appendOne(store, commit)).map(({ id }) => id));
    }
    return ids;
  });
  return Promise.all(all);
}

const accountOf = (id: string) => id.split(':')[0];

/** Expects the ids of each account in this order, ignoring duplicates. */
function expectFirstSeen(received: readonly string[], expected: readonly (readonly string[])[]): void {
  const firstSeen = Map.groupBy(new Set(received), accountOf);
  expect(firstSeen).toEqual(new Map(expected.map((ids) => [accountOf(ids[0]!), ids])));
}

describe.each(stores)('a relay of the store in $name', ({ open }) => {
  it('publishes everything once and in order, and a successor continues after it', async () => {
    const [stored, broker] = [await open(), await openBroker()];
    const expected = await write(stored.store, 30, 10);
    const { relay, outlet, errors } = await newRelay(stored, broker);
    relay.start();
    await eventually(() => expect(broker.received).toHaveLength(300));
    await eventually(async () => expect(await relay.lag()).toEqual(NO_LAG));
    expectFirstSeen(broker.received, expected);
    await relay.stop();

    const later = await write(stored.store, 30, 1, 11);
    const { relay: successor } = await newRelay(stored, broker);
    successor.start();
    await eventually(() => expect(broker.received).toHaveLength(330));
    await eventually(async () => expect(await successor.lag()).toEqual(NO_LAG));
    expectFirstSeen(
      broker.received,
      expected.map((ids, account) => [...ids, ...later[account]!]),
    );
    expect(outlet).toMatchObject({ published: 300, refused: 0, retried: 0 });
    expect(relay.status().parked).toBe(0);
    expect(errors).toEqual([]);
  });

  it('loses nothing and keeps the order when connections are cut', async () => {
    const [stored, broker] = [await open(), await openBroker()];
    const { relay, outlet, errors } = await newRelay(stored, broker);
    relay.start();
    const expected: string[][] = Array.from({ length: 40 }, () => []);
    for (let round = 0; round < 5; round++) {
      const writing = write(stored.store, 40, 10, 1 + round * 10);
      await eventually(() => expect(broker.received.length).toBeGreaterThan(round * 400 + 50));
      broker.proxy.resetConnections();
      for (const [account, ids] of (await writing).entries()) expected[account]!.push(...ids);
      await eventually(() => expect(new Set(broker.received).size).toBe((round + 1) * 400));
    }
    await eventually(async () => expect(await relay.lag()).toEqual(NO_LAG));
    expectFirstSeen(broker.received, expected);
    const { retried, published } = outlet;
    expect(broker.received.length - 2_000).toBeLessThanOrEqual(retried);
    expect(published).toBe(2_000);
    expect(errors).toEqual([]);
  });

  it('reports its lag during a broker outage', async () => {
    const [stored, broker] = [await open(), await openBroker()];
    const { relay, outlet } = await newRelay(stored, broker);
    relay.start();
    await eventually(() => expect(relay.status().slots).toBe(stored.store.slots));
    await broker.proxy.setRefusing(true);
    broker.proxy.resetConnections();
    await eventually(() => expect(outlet.isReady).toBe(false));
    await write(stored.store, 4, 3);
    expect(await relay.lag()).toEqual({ pendingCommits: 12, oldestPendingAt: newCommit('any', 1).at });
    await broker.proxy.setRefusing(false);
    await eventually(async () => expect(await relay.lag()).toEqual(NO_LAG));
  });

  it('parks an account with an unknown event, and a relay that knows it sends the skipped commits', async () => {
    const [stored, broker] = [await open(), await openBroker()];
    const { relay, errors } = await newRelay(stored, broker, (commit) => {
      if (commit.stream === 'account-3' && commit.version === 2) throw new UnsendableMessage('of a newer version');
      return modelMessagesOf(commit);
    });
    relay.start();
    const expected = await write(stored.store, 5, 4);
    await eventually(() => expect(relay.status().parked).toBe(1));
    expect(await stored.parked.all()).toMatchObject([{ partition: '3', error: 'of a newer version' }]);
    await eventually(() => expect(broker.received).toHaveLength(17));
    await relay.stop();

    const { relay: newer } = await newRelay(stored, broker);
    newer.start();
    await eventually(async () => expect(await stored.parked.all()).toEqual([]));
    await eventually(() => expect(broker.received).toHaveLength(20));
    expectFirstSeen(broker.received, expected);
    expect(errors).toEqual([]);
  });
});

it('a problem of the broker is reported only while a held slot is stalled by it', async () => {
  const { store, leases, parked } = await openSqliteStore();
  const publisher = new ModelPublisher(() => 'refused');
  publisher.problem = 'a queue is full';
  const relay = new Relay(store, new MessageOutlet(publisher, modelMessagesOf), leases, parked, {
    onError: () => undefined,
    onParked: () => undefined,
    leaseMilliseconds: 300,
  });
  onTestFinished(() => relay.stop());
  relay.start();
  await eventually(() => expect(relay.status().slots).toBe(1));
  expect(relay.status().problem).toBeUndefined();
  await store.append(newCommit('account-1', 1));
  await eventually(() => expect(relay.status().problem).toBe('a queue is full'));
  vi.spyOn(leases, 'take').mockResolvedValue([]);
  await eventually(() => expect(relay.status()).toMatchObject({ slots: 0, failing: false, problem: undefined }));
});

it('a parked account is retried long before its time if somebody requests it', async () => {
  const { store, leases, parked } = await openSqliteStore();
  const published: string[] = [];
  let isBroken = true;
  const messagesOf: MessagesOf = (commit) => {
    if (isBroken) throw new UnsendableMessage('of a newer version');
    return modelMessagesOf(commit);
  };
  const publisher = new ModelPublisher(({ id }) => {
    published.push(id);
    return 'confirmed';
  });
  const relay = new Relay(store, new MessageOutlet(publisher, messagesOf), leases, parked, {
    onError: () => undefined,
    onParked: () => undefined,
  });
  onTestFinished(() => relay.stop());
  relay.start();
  await store.append(newCommit('account-1', 1, { partition: '1' }));
  await eventually(async () => expect(await parked.all()).toHaveLength(1));
  isBroken = false;
  expect(await parked.requestRetry('1')).toBe(true);
  await eventually(async () => expect(await parked.all()).toEqual([]));
  expect(published).toEqual(['account-1:1:0']);
});

it('a parked account is retried at once if its slot was just taken over', async () => {
  const { store, leases, parked } = await openMongoStore();
  let isBroken = true;
  const messagesOf: MessagesOf = (commit) => {
    if (isBroken) throw new UnsendableMessage('of a newer version');
    return modelMessagesOf(commit);
  };
  const start = () => {
    const outlet = new MessageOutlet(new ModelPublisher(() => 'confirmed'), messagesOf);
    const options = { onError: () => undefined, onParked: () => undefined };
    const relay = new Relay(store, outlet, leases, parked, options);
    onTestFinished(() => relay.stop());
    relay.start();
    return relay;
  };
  const first = start();
  await store.append(newCommit('account-1', 1, { partition: '1' }));
  await eventually(async () => expect(await parked.all()).toHaveLength(1));
  const [{ slot }] = (await parked.all()) as [ParkedAccount];
  await first.stop();
  const take = leases.take.bind(leases);
  const withheld = vi.spyOn(leases, 'take').mockImplementation((reader, owner, slots, milliseconds) =>
    take(
      reader,
      owner,
      slots.filter((each) => each !== slot),
      milliseconds,
    ),
  );
  const searched = vi.spyOn(parked, 'all');
  const second = start();
  await eventually(() => expect(second.status().slots).toBe(store.slots - 1));
  await eventually(() => expect(searched.mock.calls).toContainEqual([]));
  withheld.mockRestore();
  isBroken = false;
  await parked.requestRetry('1');
  // The next regular search is half a minute away.
  await vi.waitFor(async () => expect(await parked.all()).toEqual([]), 15_000);
});
