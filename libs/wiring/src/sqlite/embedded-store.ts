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
  type SqliteSchema,
} from '@keyfold/event-store/sqlite';
import { parkedAccountsTable, SqliteParkedAccounts } from '@keyfold/messaging/sqlite';
import { readModelTables, SqliteReadModelStore, SqliteTokenUses, tokenUsesTable } from '@keyfold/projections/sqlite';
import { loginHoursTable, SqliteLoginHours, SqliteThrottleStore, throttleTable } from '@keyfold/security/sqlite';
import { join } from 'node:path';
import { StoreCheck, type OpenLog, type StoreAdapters } from '../stores/store-adapters.js';
import type { SharedStore } from './store-sharing.js';

/** One thread's connections to the two files of the embedded store, which close after its last request. */
export class StoreConnections extends StoreCheck implements OnApplicationShutdown {
  readonly adapters: StoreAdapters;

  constructor(
    private readonly events: SqliteConnection,
    private readonly views: SqliteConnection,
  ) {
    super();
    this.adapters = adaptersOn(events, views, this);
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
  private constructor(
    private readonly files: Files,
    private readonly lock: FolderLock,
  ) {
    super(files.events, files.views);
  }

  /** Opens the files; the caller must hold the folder lock. Throws `UnusableFile`, and then leaves nothing open. */
  static async open(folder: string, lock: FolderLock): Promise<EmbeddedStore> {
    const writer = new SqliteWriterThread();
    const opened: SqliteFile[] = [];
    const openFile = (name: string, schema: SqliteSchema): SqliteFile => {
      const file = new SqliteFile(join(folder, name), schema, writer);
      opened.push(file);
      return file;
    };
    try {
      const files = { events: openFile('keyfold.db', eventsSchema), views: openFile('views.db', viewsSchema) };
      requireOneHistory(folder, files);
      return new EmbeddedStore(files, lock);
    } catch (error) {
      await Promise.all(opened.map((file) => file.close()));
      // A file may have been opened in the thread alone.
      await writer.end();
      throw error;
    }
  }

  /** Opens the store for another thread, which must close it before this one is closed. */
  share(): SharedStore {
    return { events: this.files.events.share(), views: this.files.views.share() };
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    this.lock.release();
  }
}

/** The relay's progress is stored with the events, so that a restored file resends what it has not recorded as sent. */
const eventsSchema: SqliteSchema = {
  ...eventStoreSchema,
  sql: `${eventStoreSchema.sql}; ${feedPositionsTable}; ${parkedAccountsTable('parked_relays')}`,
};

const viewsSchema: SqliteSchema = {
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
};

type Files = Readonly<{ events: SqliteFile; views: SqliteFile }>;

/** After a restore of keyfold.db alone, the read models would show events that the log lacks. */
function requireOneHistory(folder: string, { events, views }: Files): void {
  const [log] = events.read('SELECT coalesce(max(position), 0) AS head FROM commits');
  const [read] = views.read('SELECT coalesce(max(position), 0) AS head FROM checkpoints');
  if (Number(read!['head']) <= Number(log!['head'])) return;
  throw new UnusableFile(
    `views.db in ${folder} is ahead of keyfold.db, so keyfold.db was restored from an older copy. Delete views.db; it is rebuilt at the next start`,
  );
}

/** See `openSqliteLog`. */
export function openLog(folder: string): OpenLog {
  const file = new SqliteSnapshot(join(folder, 'keyfold.db'), eventStoreSchema.version);
  try {
    const events = new SqliteEventStore(file);
    return {
      adapters: {
        store: events,
        feed: events,
        counter: new SqliteCounter(file),
        relayLeases: new SqliteFeedLeases(file),
        parkedRelays: new SqliteParkedAccounts(file, 'parked_relays'),
      },
      close: () => file.close(),
    };
  } catch (error) {
    void file.close();
    throw error;
  }
}

/** Returns the adapters of the embedded store for one thread. The relay's state is stored with the events, so that a restored backup has both. */
function adaptersOn(events: SqliteConnection, views: SqliteConnection, check: StoreCheck): StoreAdapters {
  const store = new SqliteEventStore(events);
  return {
    kind: 'sqlite',
    store,
    feed: store,
    history: store,
    compaction: store,
    counter: new SqliteCounter(events),
    intake: new SqliteIntake(events),
    readModels: new SqliteReadModelStore(views),
    tokenUses: new SqliteTokenUses(views),
    leases: new SqliteFeedLeases(views),
    relayLeases: new SqliteFeedLeases(events),
    parkedRelays: new SqliteParkedAccounts(events, 'parked_relays'),
    parkedMirrors: new SqliteParkedAccounts(views, 'parked_mirrors'),
    loginHours: new SqliteLoginHours(views),
    throttle: new SqliteThrottleStore(views),
    check,
  };
}
