import type { DomainEvent, StoredEvent } from '@keyfold/domain';
import type { Commit, NewCommit } from '@keyfold/event-store';
import {
  eventStoreModels,
  feedModels,
  migrateSchema,
  MongoEventStore,
  MongoFeedLeases,
} from '@keyfold/event-store/mongo';
import type { Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { freshDatabase } from '../../../test/support/mongo/mongo-database.js';
import { MongoReadModelStore, projectionModels } from '../src/mongo/index.js';
import { Projection } from '../src/projection.js';
import { Projector } from '../src/projector.js';
import type { StreamRef } from '../src/read-model.js';
import { StreamLoader } from '../src/stream-loader.js';

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
  async append(
    { stream, partition }: Pick<StreamRef<unknown>, 'stream' | 'partition'>,
    ...events: readonly (DomainEvent | StoredEvent)[]
  ): Promise<Commit> {
    const before = await this.store.readStreams([{ stream, version: 0 }]);
    const { commit } = await this.store.append({
      stream,
      partition,
      version: before.length + 1,
      command: { id: randomUUID(), type: 'Test', hash: 'hash' },
      at: 1_768_478_400_000,
      actor: 'test',
      correlation: 'test',
      events: events as NewCommit['events'],
    });
    return commit;
  }
}
