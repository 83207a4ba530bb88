import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, CommandRunner, SystemClock, UserNames } from '@keyfold/application';
import { CommitFeed, EventStore, FeedLeases } from '@keyfold/event-store';
import { KeyOwnerSearch, ListUpdates, Projection, ReadModelStore, StreamLoader } from '@keyfold/projections';
import { ListRetry } from './list-retry.js';

/** Loads streams and runs commands. A thread needs it exactly once, because its classes share one cache. */
@Module({})
export class EventSourcingModule {
  /**
   * Returns a global module. It exports everything that `ports` and `services` provide, among them the adapters of a store, `SecurityLog` and
   * `StreamQueue`.
   */
  static forRoot(ports: readonly DynamicModule[], services: readonly Provider[]): DynamicModule {
    const providers: Provider[] = [
      ...services,
      { provide: Clock, useClass: SystemClock },
      {
        provide: StreamLoader,
        inject: [EventStore, ReadModelStore],
        useFactory: (store: EventStore, readModels: ReadModelStore) => new StreamLoader(store, readModels),
      },
      {
        provide: Projection,
        inject: [StreamLoader, ReadModelStore, Clock],
        useFactory: (loader: StreamLoader, readModels: ReadModelStore, clock: Clock) =>
          new Projection(loader, readModels, () => clock.now()),
      },
      ListRetry,
      {
        provide: ListUpdates,
        inject: [Projection, ListRetry],
        useFactory: (projection: Projection, lists: ListRetry) => new ListUpdates(projection, lists.add),
      },
      {
        provide: KeyOwnerSearch,
        inject: [CommitFeed, FeedLeases, ReadModelStore],
        useFactory: (feed: CommitFeed, leases: FeedLeases, readModels: ReadModelStore) =>
          new KeyOwnerSearch(feed, leases, readModels),
      },
      CommandRunner,
      UserNames,
    ];
    const here = {
      module: EventSourcingModule,
      imports: [CqrsModule.forRoot(), ...ports],
      providers,
      exports: [...ports, ...providers],
    };
    return { module: EventSourcingForAll, global: true, imports: [here], exports: [here] };
  }
}

/** Nest closes a global module last. This one has nothing to close; its import closes before the stores of `ports`. */
@Module({})
class EventSourcingForAll {}
