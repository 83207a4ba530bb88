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
