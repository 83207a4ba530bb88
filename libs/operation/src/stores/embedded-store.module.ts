import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, EventStore, FeedLeases } from '@keyfold/event-store';
import {
  eventStoreSchema,
  feedPositionsTable,
  FolderLock,
  SqliteCounter,
  SqliteEventStore,
  SqliteFeedLeases,
  SqliteFile,
  UnusableFile,
} from '@keyfold/event-store/sqlite';
import { ParkedAccounts, RelayLeases } from '@keyfold/messaging';
import { parkedAccountsTable, SqliteParkedAccounts } from '@keyfold/messaging/sqlite';
import { ReadModelStore } from '@keyfold/projections';
import { readModelTables, SqliteReadModelStore } from '@keyfold/projections/sqlite';
import { ThrottleStore } from '@keyfold/security';
import { SqliteThrottleStore, throttleTable } from '@keyfold/security/sqlite';
import { join } from 'node:path';
import { generatedSealingKey, generatedTokenSecret, prepareDataFolder, protectDataFiles } from './data-folder.js';
import { SecretsModule } from './secrets.module.js';
import { StoreCheck } from './store-check.js';

export type EmbeddedStoreSettings = Readonly<{
  KEYFOLD_DATA_DIR: string;
  KEYFOLD_TOKEN_SECRET?: string | undefined;
  KEYFOLD_SEALING_KEY?: string | undefined;
}>;

/** The files of the embedded store: what must survive a power cut, and what can be made again from it or may be lost. */
export class EmbeddedStore extends StoreCheck implements OnApplicationShutdown {
  readonly events: SqliteFile;
  readonly views: SqliteFile;

  /** The folder must be locked before. Throws `UnusableFile`. */
  constructor(
    folder: string,
    private readonly lock: FolderLock,
  ) {
    super();
    // How far the events were sent lies beside them: a restored file sends again what it does not know to be sent.
    this.events = new SqliteFile(join(folder, 'keyfold.db'), {
      ...eventStoreSchema,
      sql: `${eventStoreSchema.sql}; ${feedPositionsTable}; ${parkedAccountsTable}`,
    });
    this.views = new SqliteFile(join(folder, 'views.db'), {
      version: 1,
      synchronous: 'NORMAL',
      sql: `${readModelTables}; ${feedPositionsTable}; ${throttleTable}`,
    });
    this.#requireOneHistory(folder);
  }

  /** After a restore of keyfold.db alone, the read models would show what the log does not hold. */
  #requireOneHistory(folder: string): void {
    const [log] = this.events.read('SELECT coalesce(max(position), 0) AS head FROM commits');
    const [views] = this.views.read('SELECT coalesce(max(position), 0) AS head FROM checkpoints');
    if (Number(views!['head']) <= Number(log!['head'])) return;
    throw new UnusableFile(
      `views.db in ${folder} is ahead of keyfold.db, so keyfold.db was restored from an older copy: delete views.db, it is made again`,
    );
  }

  async run(): Promise<void> {
    this.events.read('SELECT 1');
    this.views.read('SELECT 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.events.close(), this.views.close()]);
    this.lock.release();
  }
}

@Module({})
export class EmbeddedStoreModule {
  /**
   * The store of one process, with the secrets beside it. Opens the data folder (throws `FolderInUse`, `UnusableFile`,
   * `InvalidConfiguration`); two modules of one process would be two owners of it, so make one and share it.
   */
  static forRoot(settings: EmbeddedStoreSettings): DynamicModule {
    const folder = settings.KEYFOLD_DATA_DIR;
    prepareDataFolder(folder);
    const lock = new FolderLock(folder);
    protectDataFiles(folder);
    // Before the database is made: a key that is missing beside one is lost and must not be generated.
    const secrets = SecretsModule.forRoot({
      KEYFOLD_SEALING_KEY: settings.KEYFOLD_SEALING_KEY ?? generatedSealingKey(folder),
      KEYFOLD_TOKEN_SECRET: settings.KEYFOLD_TOKEN_SECRET ?? generatedTokenSecret(folder),
    });
    const store = new EmbeddedStore(folder, lock);
    return {
      module: EmbeddedStoreModule,
      imports: [secrets],
      providers: [
        { provide: StoreCheck, useValue: store },
        { provide: EventStore, useValue: new SqliteEventStore(store.events) },
        { provide: Counter, useValue: new SqliteCounter(store.events) },
        { provide: ReadModelStore, useValue: new SqliteReadModelStore(store.views) },
        { provide: FeedLeases, useValue: new SqliteFeedLeases(store.views) },
        { provide: RelayLeases, useValue: new SqliteFeedLeases(store.events) },
        { provide: ParkedAccounts, useValue: new SqliteParkedAccounts(store.events) },
        { provide: ThrottleStore, useValue: new SqliteThrottleStore(store.views) },
      ],
      exports: [
        EventStore,
        Counter,
        FeedLeases,
        ReadModelStore,
        RelayLeases,
        ParkedAccounts,
        ThrottleStore,
        StoreCheck,
        secrets,
      ],
    };
  }
}
