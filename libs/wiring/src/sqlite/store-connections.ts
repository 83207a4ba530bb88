import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import { StoreCheck } from '../stores/store-check.js';

/** One thread's connections to the two files of the embedded store. */
export class StoreConnections extends StoreCheck {
  constructor(
    readonly events: SqliteConnection,
    readonly views: SqliteConnection,
  ) {
    super();
  }

  /** Reads from both files. */
  async run(): Promise<void> {
    this.events.read('SELECT 1');
    this.views.read('SELECT 1');
  }

  async close(): Promise<void> {
    await Promise.all([this.events.close(), this.views.close()]);
  }
}
