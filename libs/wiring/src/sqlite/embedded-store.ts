import type { OnApplicationShutdown } from '@nestjs/common';
import {
  eventStoreSchema,
  feedPositionsTable,
  SqliteCounter,
  SqliteEventStore,
  SqliteFeedLeases,
  SqliteFile,
  SqliteIntake,
  SqliteSnapshot,
  SqliteWriterThread,
  UnusableFile,
  type FolderLock,
  type SqliteConnection,
} from '@keyfold/event-store/sqlite';
import { parkedAccountsTable, SqliteParkedAccounts } from '@keyfold/messaging/sqlite';
import { readModelTables, SqliteReadModelStore, SqliteTokenUses, tokenUsesTable } from '@keyfold/projections/sqlite';
import { loginHoursTable, SqliteLoginHours, SqliteThrottleStore, throttleTable } from '@keyfold/security/sqlite';
import { join } from 'node:path';
import { StoreCheck, type OpenLog, type StoreAdapters } from '../stores/store-adapters.js';
import type { SharedStore } from './store-sharing.js';

/** One thread's connections to the two files of the embedded store, which close after its last request. */
export class StoreConnections extends StoreCheck implements OnApplicationShutdown {
  constructor(
    readonly events: SqliteConnection,
    readonly views: SqliteConnection,
  ) {
    super();
  }

  async run(): Promise<void> {
    this.events.read('SELECT 1');
    this.views.read('SELECT 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.events.close(), this.views.close()]);
  }
}

/** The database files of the embedded store: the events, which must survive a power cut, and the views, which can be rebuilt or lost. */
export class EmbeddedStore extends StoreConnections {
  readonly #files: Readonly<{ events: SqliteFile; views: SqliteFile }>;

  /** Opens the files; the caller must hold the folder lock. Throws `UnusableFile`. */
  constructor(
    folder: string,
    private readonly lock: FolderLock,
  ) {
    const writer = new SqliteWriterThread();
    const files = {
      // The relay's progress is stored with the events, so that a restored file resends what it has not recorded as sent.
      events: new SqliteFile(
        join(folder, 'keyfold.db'),
        {
          ...eventStoreSchema,
          sql: `${eventStoreSchema.sql}; ${feedPositionsTable}; ${parkedAccountsTable('parked_relays')}`,
        },
        writer,
      ),
      views: new SqliteFile(
        join(folder, 'views.db'),
        {
          version: 1,
          synchronous: 'NORMAL',
          sql: [
            readModelTables,
            tokenUsesTable,
            feedPositionsTable,
            throttleTable,
            loginHoursTable,
            parkedAccountsTable('parked_mirrors'),
          ].join('; '),
        },
        writer,
      ),
    };
    super(files.events, files.views);
    this.#files = files;
    this.#requireOneHistory(folder);
  }

  /** Opens the store for another thread, which must close it before this one is closed. */
  share(): SharedStore {
    return { events: this.#files.events.share(), views: this.#files.views.share() };
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    this.lock.release();
  }

  /** After a restore of keyfold.db alone, the read models would show events that the log lacks. */
  #requireOneHistory(folder: string): void {
    const [log] = this.events.read('SELECT coalesce(max(position), 0) AS head FROM commits');
    const [views] = this.views.read('SELECT coalesce(max(position), 0) AS head FROM checkpoints');
    if (Number(views!['head']) <= Number(log!['head'])) return;
    throw new UnusableFile(
      `views.db in ${folder} is ahead of keyfold.db, so keyfold.db was restored from an older copy. Delete views.db; it is rebuilt at the next start`,
    );
  }
}

/** See `openSqliteLog`. */
export function openLog(folder: string): OpenLog {
  const file = new SqliteSnapshot(join(folder, 'keyfold.db'), eventStoreSchema.version);
  const events = new SqliteEventStore(file);
  return {
    adapters: {
      store: events,
      feed: events,
      counter: new SqliteCounter(file),
      relayLeases: new SqliteFeedLeases(file),
      parkedRelays: new SqliteParkedAccounts(file, 'parked_relays'),
    },
    close: () => events.close(),
  };
}

/** Returns the adapters of the embedded store for one thread. The relay's state is stored with the events, so that a restored backup has both. */
export function sqliteAdapters(store: StoreConnections): StoreAdapters {
  const events = new SqliteEventStore(store.events);
  return {
    kind: 'sqlite',
    store: events,
    feed: events,
    history: events,
    compaction: events,
    counter: new SqliteCounter(store.events),
    intake: new SqliteIntake(store.events),
    readModels: new SqliteReadModelStore(store.views),
    tokenUses: new SqliteTokenUses(store.views),
    leases: new SqliteFeedLeases(store.views),
    relayLeases: new SqliteFeedLeases(store.events),
    parkedRelays: new SqliteParkedAccounts(store.events, 'parked_relays'),
    parkedMirrors: new SqliteParkedAccounts(store.views, 'parked_mirrors'),
    loginHours: new SqliteLoginHours(store.views),
    throttle: new SqliteThrottleStore(store.views),
    check: store,
  };
}
