import { Module, type DynamicModule, type OnApplicationShutdown, type Provider, type Type } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import { Counter, EventStore, FeedLeases } from '@keyfold/event-store';
import {
  connectOptions,
  eventStoreModels,
  feedModels,
  MongoCounter,
  MongoEventStore,
  MongoFeedLeases,
  requireSchema,
} from '@keyfold/event-store/mongo';
import { ParkedAccounts, RelayLeases } from '@keyfold/messaging';
import { messagingModels, MongoParkedAccounts } from '@keyfold/messaging/mongo';
import { ReadModelStore } from '@keyfold/projections';
import { MongoReadModelStore, projectionModels } from '@keyfold/projections/mongo';
import { ThrottleStore } from '@keyfold/security';
import { MongoThrottleStore, throttleModels } from '@keyfold/security/mongo';
import type { Connection } from 'mongoose';
import type { ProcessContext } from '../process/run-process.js';
import { MongoCheck } from './mongo-check.js';
import { openConnection } from './open-connection.js';
import { StoreCheck } from './store-check.js';
import { untilAvailable } from './until-available.js';

/** Everything that `keyfold migrate` makes and that a start requires. */
export const mongoModels = (connection: Connection) => [
  ...eventStoreModels(connection),
  ...feedModels(connection),
  ...projectionModels(connection),
  ...throttleModels(connection),
  ...messagingModels(connection),
];

/** The connection once it was found fit for use: nothing may touch the database before. */
const USABLE = Symbol('a connection to a usable database');

/** Commits that were accepted are finished before the connection closes, which belongs to a module that closes later. */
class StoreEnd implements OnApplicationShutdown {
  constructor(private readonly store: EventStore) {}

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}

@Module({})
export class MongoStoreModule {
  /**
   * The store of any number of processes. While MongoDB is away the start waits. Fails with `InvalidConfiguration` for an address that
   * nobody can use and with `UnusableDatabase` for a database that this program must not touch.
   */
  static forRoot(uri: string, context: ProcessContext): DynamicModule {
    const adapters = [
      adapter(EventStore, MongoEventStore),
      adapter(Counter, MongoCounter),
      adapter(FeedLeases, MongoFeedLeases),
      adapter(RelayLeases, MongoFeedLeases),
      adapter(ParkedAccounts, MongoParkedAccounts),
      adapter(ReadModelStore, MongoReadModelStore),
      adapter(ThrottleStore, MongoThrottleStore),
      adapter(StoreCheck, MongoCheck),
    ];
    return {
      module: MongoStoreModule,
      // It only makes the connection and closes it; its own way of waiting has one text for every reason.
      imports: [MongooseModule.forRoot(uri, { ...connectOptions, lazyConnection: true, connectionFactory: quiet })],
      providers: [
        {
          provide: USABLE,
          inject: [getConnectionToken()],
          useFactory: (connection: Connection) => openUsable(connection, uri, context),
        },
        ...adapters,
        { provide: StoreEnd, inject: [EventStore], useFactory: (store: EventStore) => new StoreEnd(store) },
      ],
      exports: [
        EventStore,
        Counter,
        FeedLeases,
        RelayLeases,
        ParkedAccounts,
        ReadModelStore,
        ThrottleStore,
        StoreCheck,
      ],
    };
  }
}

/** Each step may take some seconds, of which the readiness tells meanwhile. */
async function openUsable(connection: Connection, uri: string, context: ProcessContext): Promise<Connection> {
  context.health.waitsFor('store', 'MongoDB is being connected');
  await untilAvailable(() => openConnection(connection, uri), context);
  context.health.waitsFor('store', 'the database is being compared with what this version needs');
  await untilAvailable(() => requireSchema(connection, mongoModels(connection)), context);
  return connection;
}

/** Whoever opens the connection hears of the failure. */
function quiet(connection: Connection): Connection {
  connection.asPromise().catch(() => undefined);
  return connection;
}

type Port = abstract new (...parameters: never[]) => unknown;

const adapter = (port: Port, implementation: Type & (new (connection: Connection) => unknown)): Provider => ({
  provide: port,
  inject: [USABLE],
  useFactory: (connection: Connection) => new implementation(connection),
});
