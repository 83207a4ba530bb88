import type { OnApplicationShutdown } from '@nestjs/common';
import {
  eventStoreSchema,
  feedPositionsTable,
  SqliteFile,
  UnusableFile,
  type FolderLock,
} from '@keyfold/event-store/sqlite';
import { parkedAccountsTable } from '@keyfold/messaging/sqlite';
import { readModelTables } from '@keyfold/projections/sqlite';
import { throttleTable } from '@keyfold/security/sqlite';
import { join } from 'node:path';
import { StoreCheck } from '../stores/store-check.js';

/** The database files of the embedded store: the events, which must survive a power cut, and the views, which can be rebuilt or lost. */
export class EmbeddedStore extends StoreCheck implements OnApplicationShutdown {
  readonly events: SqliteFile;
  readonly views: SqliteFile;

  /** Opens the files; the caller must hold the folder lock. Throws `UnusableFile`. */
  constructor(
    folder: string,
    private readonly lock: FolderLock,
  ) {
    super();
    // The relay's progress is stored with the events, so that a restored file resends what it has not recorded as sent.
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

  /** After a restore of keyfold.db alone, the read models would show events that the log lacks. */
  #requireOneHistory(folder: string): void {
    const [log] = this.events.read('SELECT coalesce(max(position), 0) AS head FROM commits');
    const [views] = this.views.read('SELECT coalesce(max(position), 0) AS head FROM checkpoints');
    if (Number(views!['head']) <= Number(log!['head'])) return;
    throw new UnusableFile(
      `views.db in ${folder} is ahead of keyfold.db, so keyfold.db was restored from an older copy. Delete views.db; it is rebuilt at the next start`,
    );
  }

  /** Reads from both files. */
  async run(): Promise<void> {
    this.events.read('SELECT 1');
    this.views.read('SELECT 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.events.close(), this.views.close()]);
    this.lock.release();
  }
}
