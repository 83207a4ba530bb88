import { Module, type DynamicModule } from '@nestjs/common';
import { Clock, CommandRunner, SshKeyExpiry } from '@keyfold/application';
import { CommitFeed, EventStore, FeedLeases, StreamCompaction } from '@keyfold/event-store';
import { ParkedAccounts, RELAY_LEASES } from '@keyfold/messaging';
import { readersBehind } from '@keyfold/wiring';
import { Projection, Projector, ReadModelStore, Retention } from '@keyfold/projections';
import type { Messages } from './open-messages.js';
import { ProjectorRunner } from './projector.runner.js';
import { RetentionRunner } from './retention.runner.js';
import { SshKeyExpiryRunner } from './ssh-key-expiry.runner.js';
import type { WorkerConfig } from './worker.config.js';

@Module({})
export class WorkerModule {
  /**
   * Provides projector, retention and the expiry of SSH keys and, with `messages`, publishing and consuming. `ports` are the modules that
   * provide the adapters of the store and the handlers' dependencies.
   */
  static forRoot(ports: readonly DynamicModule[], config: WorkerConfig, messages?: Messages): DynamicModule {
    return {
      module: WorkerModule,
      imports: [...ports, ...(messages ? [messages.moduleFor(ports, config)] : [])],
      providers: [
        {
          provide: Projector,
          inject: [CommitFeed, Projection, FeedLeases],
          useFactory: (feed: CommitFeed, projection: Projection, leases: FeedLeases) =>
            new Projector(feed, projection, leases, ProjectorRunner.reportError, config),
        },
        {
          provide: ProjectorRunner,
          inject: [Projector],
          useFactory: (projector: Projector) => new ProjectorRunner(projector),
        },
        {
          provide: RetentionRunner,
          inject: [
            EventStore,
            CommitFeed,
            StreamCompaction,
            ReadModelStore,
            FeedLeases,
            RELAY_LEASES,
            ParkedAccounts,
            Clock,
          ],
          useFactory: (
            store: EventStore,
            feed: CommitFeed,
            compaction: StreamCompaction,
            readModels: ReadModelStore,
            leases: FeedLeases,
            relayLeases: FeedLeases,
            parkedRelays: ParkedAccounts,
            clock: Clock,
          ) => {
            const readers = readersBehind({ leases, relayLeases, parkedRelays });
            const { sessionDays } = config;
            const parts = { store, compaction, readModels, readers, sessionDays, now: () => clock.now() };
            const listeners = { onCompacted: RetentionRunner.reportCompacted, onError: RetentionRunner.reportError };
            return new RetentionRunner(new Retention(parts, feed, leases, listeners));
          },
        },
        {
          provide: SshKeyExpiryRunner,
          inject: [CommandRunner, ReadModelStore, Projection, FeedLeases],
          useFactory: (
            runner: CommandRunner,
            readModels: ReadModelStore,
            projection: Projection,
            leases: FeedLeases,
          ) => {
            const { reportError: onError } = SshKeyExpiryRunner;
            return new SshKeyExpiryRunner(new SshKeyExpiry({ runner, readModels, projection, leases, onError }));
          },
        },
      ],
      exports: [ProjectorRunner, RetentionRunner, SshKeyExpiryRunner],
    };
  }
}

export { openMessages, type Messages } from './open-messages.js';
export { measureProjector } from './projector-metrics.js';
export { ProjectorRunner } from './projector.runner.js';
export { RetentionRunner } from './retention.runner.js';
export { SshKeyExpiryRunner } from './ssh-key-expiry.runner.js';
export type { WorkerConfig } from './worker.config.js';
