import {
  Injectable,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, CommandRunner, SystemClock, UserNames } from '@keyfold/application';
import { CommitFeed, EventStore, FeedLeases } from '@keyfold/event-store';
import { reasonOf } from '@keyfold/reporting';
import { RepeatedLine } from '@keyfold/process';
import {
  KeyOwnerSearch,
  ListUpdates,
  Projection,
  ProjectionRetry,
  ReadModelStore,
  StreamLoader,
  type StreamRef,
} from '@keyfold/projections';

const log = new Logger('Projection');
const ADVICE = 'Run `keyfold projections rebuild` or start a worker';

const recovered = (refused: number) =>
  refused === 0
    ? log.log('the lists are up to date again')
    : log.error({ entries: refused }, `list entries are stale. ${ADVICE}`);

/** Retries list entries that a command could not write after its commit. Stops before the store closes. */
@Injectable()
export class ListRetry implements OnApplicationShutdown {
  readonly #retry: ProjectionRetry;
  readonly #line = new RepeatedLine();

  constructor(projection: Projection) {
    this.#retry = new ProjectionRetry(projection, recovered);
  }

  /** Adds an entry to retry; the `OnListBehind` of `ListUpdates`. */
  readonly add = (ref: StreamRef<unknown>, error: unknown, correlation: string): void => {
    const isQueued = this.#retry.add(ref);
    const text = isQueued
      ? `a list may be stale, retrying: ${reasonOf(error)}`
      : `a list is stale, too many entries to retry. ${ADVICE}`;
    this.#line.write(text, (omitted) => {
      const fields = { correlation, ...(omitted > 0 && { omitted }) };
      if (isQueued) log.warn(fields, text);
      else log.error(fields, text);
    });
  };

  async onApplicationShutdown(): Promise<void> {
    const left = await this.#retry.stop();
    if (left > 0) log.warn({ entries: left }, `stale list entries at shutdown. ${ADVICE}`);
  }
}

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
