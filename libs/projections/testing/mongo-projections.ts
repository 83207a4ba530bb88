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
import { MongoReadModelStore, projectionModels } from '../src/mongo/index.js';
import { Projection } from '../src/projection.js';
import { Projector } from '../src/projector.js';
import type { StreamRef } from '../src/stream-ref.js';
import { StreamLoader } from '../src/stream-loader.js';
import { appendCommit, type AnyEvent } from './append-commit.js';

/** An event store and read models in a database of their own that is dropped when the running test is over. */
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

  /** That of a process that has just started; stopped when the running test is over. */
  newProjector(): Projector {
    const projection = new Projection(new StreamLoader(this.store, this.readModels), this.readModels, Date.now);
    const projector = new Projector(this.store, projection, this.leases, (error) => this.errors.push(error));
    onTestFinished(() => projector.stop());
    return projector;
  }

  /** Appends one commit with these events behind the last one of the stream. */
  append(ref: Pick<StreamRef<unknown>, 'stream' | 'partition'>, ...events: readonly AnyEvent[]): Promise<Commit> {
    return appendCommit(this.store, ref, events);
  }
}
