import type { Commit } from '@keyfold/event-store';
import {
  eventStoreModels,
  feedModels,
  migrateSchema,
  MongoEventStore,
  MongoFeedLeases,
} from '@keyfold/event-store/mongo';
import type { Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { freshDatabase } from '../../../test/support/mongo/mongo-database.js';
import { StreamLoader } from '../src/loading/stream-loader.js';
import type { StreamRef } from '../src/loading/stream-ref.js';
import { MongoReadModelStore, projectionModels } from '../src/mongo/index.js';
import { Projection } from '../src/projecting/projection.js';
import { Projector } from '../src/projecting/projector.js';
import { appendCommit, type AnyEvent } from './append-commit.js';

/** An event store and read models in their own database, which is dropped after the test. */
export class MongoProjections {
  readonly errors: unknown[] = [];

  private constructor(
    readonly connection: Connection,
    readonly store: MongoEventStore,
    readonly readModels: MongoReadModelStore,
    readonly leases: MongoFeedLeases,
  ) {}

  static async open(): Promise<MongoProjections> {
    const connection = await freshDatabase();
    const models = [...eventStoreModels(connection), ...feedModels(connection), ...projectionModels(connection)];
    await migrateSchema(connection, models);
    const store = new MongoEventStore(connection);
    const readModels = new MongoReadModelStore(connection);
    // Before the connection closes.
    onTestFinished(async () => void (await Promise.all([store.close(), readModels.close()])));
    return new MongoProjections(connection, store, readModels, new MongoFeedLeases(connection));
  }

  /** Creates a projector with an empty cache; it is stopped after the test. */
  newProjector(): Projector {
    const projection = new Projection(new StreamLoader(this.store, this.readModels), this.readModels, Date.now);
    const projector = new Projector(this.store, projection, this.leases, (error) => this.errors.push(error));
    onTestFinished(() => projector.stop());
    return projector;
  }

  /** Appends one commit with these events to the stream. */
  append(ref: Pick<StreamRef<unknown>, 'stream' | 'partition'>, ...events: readonly AnyEvent[]): Promise<Commit> {
    return appendCommit(this.store, ref, events);
  }
}
