import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import { EventStore } from '@keyfold/event-store';
import { connectOptions, requireSchema } from '@keyfold/event-store/mongo';
import type { ProcessContext } from '@keyfold/process';
import type { Connection } from 'mongoose';
import { portProviders, storePorts } from '../stores/store-adapters.js';
import { untilAvailable } from '../stores/until-available.js';
import { mongoAdapters } from './mongo-adapters.js';
import { mongoModels } from './mongo-models.js';
import { openConnection } from './open-connection.js';

/** Made once the connection was found fit for use: nothing may touch the database before. */
const ADAPTERS = Symbol('the adapters of a usable database');

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
    return {
      module: MongoStoreModule,
      // It only makes the connection and closes it; its own way of waiting has one text for every reason.
      imports: [MongooseModule.forRoot(uri, { ...connectOptions, lazyConnection: true, connectionFactory: quiet })],
      providers: [
        {
          provide: ADAPTERS,
          inject: [getConnectionToken()],
          useFactory: async (connection: Connection) => mongoAdapters(await openUsable(connection, uri, context)),
        },
        ...portProviders(ADAPTERS),
        { provide: StoreEnd, inject: [EventStore], useFactory: (store: EventStore) => new StoreEnd(store) },
      ],
      exports: storePorts,
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
