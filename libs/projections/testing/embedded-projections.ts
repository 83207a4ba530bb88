import type { Commit } from '@keyfold/event-store';
import {
  eventStoreSchema,
  feedPositionsTable,
  SqliteEventStore,
  SqliteFeedLeases,
  SqliteFile,
} from '@keyfold/event-store/sqlite';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sharedWriter, temporaryFolder } from '../../event-store/testing/open-sqlite.js';
import { StreamLoader } from '../src/loading/stream-loader.js';
import type { StreamRef } from '../src/loading/stream-ref.js';
import { Projection } from '../src/projecting/projection.js';
import { Projector } from '../src/projecting/projector.js';
import { readModelTables, tokenUsesTable, SqliteReadModelStore } from '../src/sqlite/index.js';
import { appendCommit, type AnyEvent } from './append-commit.js';

/** An event store and read models on real files, in a folder that is removed after the test. */
export class EmbeddedProjections {
  readonly events: SqliteFile;
  readonly store: SqliteEventStore;
  readonly views: SqliteFile;
  readonly readModels: SqliteReadModelStore;
  readonly leases: SqliteFeedLeases;
  readonly errors: unknown[] = [];

  constructor() {
    const [folder, writer] = [temporaryFolder(), sharedWriter()];
    this.events = new SqliteFile(join(folder, 'keyfold.db'), eventStoreSchema, writer);
    this.store = new SqliteEventStore(this.events);
    const sql = `${readModelTables}; ${tokenUsesTable}; ${feedPositionsTable}`;
    this.views = new SqliteFile(join(folder, 'views.db'), { version: 1, synchronous: 'NORMAL', sql }, writer);
    this.readModels = new SqliteReadModelStore(this.views);
    this.leases = new SqliteFeedLeases(this.views);
    onTestFinished(async () => {
      await Promise.all([this.store.close(), this.readModels.close()]);
    });
  }

  /** Creates a loader with an empty cache. */
  newLoader(): StreamLoader {
    return new StreamLoader(this.store, this.readModels);
  }

  newProjection(loader = this.newLoader()): Projection {
    return new Projection(loader, this.readModels, () => 1_768_478_400_000);
  }

  newProjector(projection = this.newProjection()): Projector {
    return new Projector(this.store, projection, this.leases, (error) => this.errors.push(error));
  }

  /** Appends one commit with these events to the stream. */
  append(ref: Pick<StreamRef<unknown>, 'stream' | 'partition'>, ...events: readonly AnyEvent[]): Promise<Commit> {
    return appendCommit(this.store, ref, events);
  }
}
