import { Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '@keyfold/application';
import { EventStore, FeedLeases } from '@keyfold/event-store';
import { ParkedAccounts, RelayLeases } from '@keyfold/messaging';
import { readersBehind } from '@keyfold/operation';
import { Projection, Projector, ReadModelStore, Retention } from '@keyfold/projections';
import type { Messages } from './open-messages.js';
import { ProjectorRunner } from './projector.runner.js';
import { RetentionRunner } from './retention.runner.js';
import type { WorkerConfig } from './worker.config.js';

@Module({})
export class WorkerModule {
  /**
   * Provides projector and retention and, with `messages`, publishing and consuming. `ports` are the modules that provide the adapters of
   * the store and the handlers' dependencies.
   */
  static forRoot(ports: readonly DynamicModule[], config: WorkerConfig, messages?: Messages): DynamicModule {
    return {
      module: WorkerModule,
      imports: [...ports, ...(messages ? [messages.moduleFor(ports, config)] : [])],
      providers: [
        {
          provide: Projector,
          inject: [EventStore, Projection, FeedLeases],
          useFactory: (store: EventStore, projection: Projection, leases: FeedLeases) =>
            new Projector(store, projection, leases, ProjectorRunner.reportError, config),
        },
        {
          provide: ProjectorRunner,
          inject: [Projector],
          useFactory: (projector: Projector) => new ProjectorRunner(projector),
        },
        {
          provide: RetentionRunner,
          inject: [EventStore, ReadModelStore, FeedLeases, RelayLeases, ParkedAccounts, Clock],
          useFactory: (
            store: EventStore,
            readModels: ReadModelStore,
            leases: FeedLeases,
            relayLeases: RelayLeases,
            parkedRelays: ParkedAccounts,
            clock: Clock,
          ) => {
            const readers = readersBehind({ leases, relayLeases, parkedRelays });
            const parts = { store, readModels, readers, sessionDays: config.sessionDays, now: () => clock.now() };
            const listeners = { onCompacted: RetentionRunner.reportCompacted, onError: RetentionRunner.reportError };
            return new RetentionRunner(new Retention(parts, leases, listeners));
          },
        },
      ],
      exports: [ProjectorRunner, RetentionRunner],
    };
  }
}

export { openMessages, type Messages } from './open-messages.js';
export { measureProjector } from './projector-metrics.js';
export { ProjectorRunner } from './projector.runner.js';
export { RetentionRunner } from './retention.runner.js';
export type { WorkerConfig } from './worker.config.js';
