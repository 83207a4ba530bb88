import type { Provider } from '@nestjs/common';
import {
  Clock,
  CommandRunner,
  CommandTraces,
  SecurityLog,
  StreamQueue,
  SystemClock,
  UserNames,
} from '@keyfold/application';
import { EventStore } from '@keyfold/event-store';
import { ListUpdates, Projection, ReadModelStore, StreamLoader } from '@keyfold/projections';
import { ListRetry } from './list-retry.js';

/**
 * Provides the classes that load streams and run commands, on `EventStore`, `ReadModelStore`, `SecurityLog` and `StreamQueue`. A thread
 * needs them exactly once, because they share one cache.
 */
export const eventSourcingProviders: Provider[] = [
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
  { provide: ListRetry, inject: [Projection], useFactory: (projection: Projection) => new ListRetry(projection) },
  {
    provide: CommandRunner,
    inject: [
      EventStore,
      StreamLoader,
      Projection,
      Clock,
      ListRetry,
      SecurityLog,
      StreamQueue,
      { token: CommandTraces, optional: true },
    ],
    useFactory: (
      store: EventStore,
      loader: StreamLoader,
      projection: Projection,
      clock: Clock,
      lists: ListRetry,
      security: SecurityLog,
      queue: StreamQueue,
      traces?: CommandTraces,
    ) => new CommandRunner(store, loader, new ListUpdates(projection, lists.add), clock, traces, security, queue),
  },
  {
    provide: UserNames,
    inject: [EventStore, StreamLoader],
    useFactory: (store: EventStore, loader: StreamLoader) => new UserNames(store, loader),
  },
];

/** The tokens of `eventSourcingProviders` that a module exports. */
export const eventSourcingExports = [Clock, SecurityLog, StreamLoader, Projection, CommandRunner, UserNames];
