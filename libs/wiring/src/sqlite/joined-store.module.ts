import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { SqliteConnection } from '@keyfold/event-store/sqlite';
import { SecretsModule } from '../stores/secrets.module.js';
import { portProviders, storePorts } from '../stores/store-adapters.js';
import { sqliteAdapters } from './sqlite-adapters.js';
import { StoreConnections } from './store-connections.js';
import type { JoinableStore } from './store-sharing.js';

const ADAPTERS = Symbol('the adapters of the joined store');

/** The connections of a thread, which close after its last request. */
class JoinedStore extends StoreConnections implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

/** The embedded store in a thread that does not own it. */
@Module({})
export class JoinedStoreModule {
  /** Connects to the store that another thread has open. */
  static forRoot({ events, views, secrets }: JoinableStore): DynamicModule {
    const store = new JoinedStore(new SqliteConnection(events), new SqliteConnection(views));
    const secretsModule = SecretsModule.forRoot(secrets);
    return {
      module: JoinedStoreModule,
      imports: [secretsModule],
      providers: [
        { provide: JoinedStore, useValue: store },
        { provide: ADAPTERS, useValue: sqliteAdapters(store) },
        ...portProviders(ADAPTERS),
      ],
      exports: [...storePorts, secretsModule],
    };
  }
}
