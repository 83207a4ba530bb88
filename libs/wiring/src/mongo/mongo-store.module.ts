import { Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import { EventStore } from '@keyfold/event-store';
import {
  beginFilling,
  connectOptions,
  deleteDocuments,
  endFilling,
  migrateSchema,
  requireSchema,
} from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { portProviders, storePorts, type FillingStore, type OpenStore } from '../stores/store-adapters.js';
import { untilAvailable, type StartupContext } from '../stores/until-available.js';
import { mongoAdapters } from './mongo-adapters.js';
import { mongoModels } from './mongo-models.js';
import { openConnection } from './open-connection.js';

/** Closes the store, which finishes accepted commits before `MongooseModule` closes the connection. */
@Injectable()
class StoreShutdown implements OnApplicationShutdown {
  constructor(private readonly store: EventStore) {}

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}

@Module({})
export class MongoStoreModule {
  /**
   * Provides the store that processes share. The startup waits while MongoDB is unavailable. It fails with `InvalidConfiguration` for an
   * invalid connection string and with `UnusableDatabase` for a database that this version cannot use.
   */
  static forRoot(uri: string, context: StartupContext): DynamicModule {
    return {
      module: MongoStoreModule,
      // This module only creates and closes the connection. `openUsable` connects, because the module's own retries hide the cause.
      imports: [
        MongooseModule.forRoot(uri, { ...connectOptions, lazyConnection: true, connectionFactory: ignoreFailure }),
      ],
      providers: [
        ...portProviders({
          inject: [getConnectionToken()],
          useFactory: async (connection: Connection) => mongoAdapters(await openUsable(connection, uri, context)),
        }),
        StoreShutdown,
      ],
      exports: storePorts,
    };
  }
}

/** Connects and checks the schema. Readiness reports the current step, because each may take seconds. */
async function openUsable(connection: Connection, uri: string, context: StartupContext): Promise<Connection> {
  context.health.setPending('store', 'connecting to MongoDB');
  await untilAvailable(() => openConnection(connection, uri), context);
  context.health.setPending('store', 'checking the schema of the database');
  await untilAvailable(() => requireSchema(connection, mongoModels(connection)), context);
  return connection;
}

/** `openConnection` reports a failure. Without this handler, the unhandled rejection would end the process. */
function ignoreFailure(connection: Connection): Connection {
  connection.asPromise().catch(() => undefined);
  return connection;
}

/** See `openMongoStore`. */
export const openMongo = (uri: string, { prepare }: Readonly<{ prepare: boolean }>): Promise<OpenStore> =>
  openAfter(uri, prepare ? migrateSchema : requireSchema);

/** See `openMongoToFill`. */
export async function openToFill(
  uri: string,
  filler: string,
  { startOver } = { startOver: false },
): Promise<FillingStore> {
  let run = '';
  const { connection, ...store } = await openAfter(uri, async (opened, models) => {
    run = await beginFilling(opened, models, filler);
    if (startOver) await deleteDocuments(opened, models);
  });
  return { ...store, finish: () => endFilling(connection, run) };
}

async function openAfter(
  uri: string,
  prepare: (connection: Connection, models: ReturnType<typeof mongoModels>) => Promise<void>,
): Promise<OpenStore & { connection: Connection }> {
  const connection = mongoose.createConnection();
  try {
    await openConnection(connection, uri);
    await prepare(connection, mongoModels(connection));
    const adapters = mongoAdapters(connection);
    return {
      connection,
      adapters,
      async close() {
        await Promise.all([adapters.store.close(), adapters.readModels.close()]);
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
